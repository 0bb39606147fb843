/* Log lines on standard error: quiet unless asked. Thread-safe. */
#ifndef WEIR_BASE_LOG_H
#define WEIR_BASE_LOG_H

typedef enum weir_log_level { WEIR_LOG_ERROR, WEIR_LOG_WARN, WEIR_LOG_INFO, WEIR_LOG_DEBUG } weir_log_level;

void weir_log_set_level(weir_log_level level); /* default: WEIR_LOG_WARN */
void weir_log(weir_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
