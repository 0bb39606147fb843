/* Figures of tables at work: see table_metrics.h. */
#include "file/table_metrics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

const weir_metric_description weir_table_metric_descriptions[WEIR_TABLE_METRIC_COUNT] = {
#define DESCRIBE(identifier, called, of_kind, in_unit, paimon, text)                                                   \
    [WEIR_TABLE_##identifier] = {.name = (called),                                                                     \
                                 .kind = WEIR_METRIC_##of_kind,                                                        \
                                 .unit = WEIR_METRIC_##in_unit,                                                        \
                                 .paimon_name = (paimon),                                                              \
                                 .help = (text)},
    WEIR_TABLE_METRICS(DESCRIBE)
#undef DESCRIBE
};

void weir_table_metrics_set(weir_table_metrics *metrics, weir_table_metric metric, int64_t value)
{
    if (metrics != NULL) {
        atomic_store_explicit(&metrics->values[metric], value, memory_order_relaxed);
        atomic_store_explicit(&metrics->is_set[metric], true, memory_order_release);
    }
}

void weir_table_metrics_add(weir_table_metrics *metrics, weir_table_metric metric, int64_t value)
{
    if (metrics != NULL) {
        atomic_fetch_add_explicit(&metrics->values[metric], value, memory_order_relaxed);
        atomic_store_explicit(&metrics->is_set[metric], true, memory_order_release);
    }
}

void weir_table_metrics_time(weir_table_metrics *metrics, weir_table_metric metric, int64_t ms)
{
    if (metrics != NULL) {
        weir_histogram_add(&metrics->histograms[metric], ms);
        atomic_store_explicit(&metrics->is_set[metric], true, memory_order_release);
    }
}

struct weir_metrics_registry {
    pthread_mutex_t mutex; /* over the list; the figures need none */
    weir_table_metrics **tables;
    size_t count;
    size_t capacity;
};

weir_metrics_registry *weir_metrics_registry_create(void)
{
    weir_metrics_registry *registry = weir_alloc_zeroed(1, sizeof *registry);
    pthread_mutex_init(&registry->mutex, NULL);
    return registry;
}

void weir_metrics_registry_free(weir_metrics_registry *registry)
{
    if (registry == NULL) {
        return;
    }
    for (size_t i = 0; i < registry->count; i++) {
        free(registry->tables[i]->table);
        free(registry->tables[i]);
    }
    free(registry->tables);
    pthread_mutex_destroy(&registry->mutex);
    free(registry);
}

static weir_table_metrics *find(const weir_metrics_registry *registry, const char *table)
{
    for (size_t i = 0; i < registry->count; i++) {
        if (strcmp(registry->tables[i]->table, table) == 0) {
            return registry->tables[i];
        }
    }
    return NULL;
}

weir_table_metrics *weir_metrics_registry_table(weir_metrics_registry *registry, const char *table)
{
    pthread_mutex_lock(&registry->mutex);
    weir_table_metrics *metrics = find(registry, table);
    if (metrics == NULL) {
        metrics = weir_alloc_zeroed(1, sizeof *metrics);
        metrics->table = weir_strdup(table);
        WEIR_GROW(registry->tables, registry->capacity, registry->count + 1);
        registry->tables[registry->count++] = metrics;
    }
    pthread_mutex_unlock(&registry->mutex);
    return metrics;
}

weir_table_metrics *weir_metrics_registry_at(weir_metrics_registry *registry, size_t n)
{
    pthread_mutex_lock(&registry->mutex);
    weir_table_metrics *metrics = n < registry->count ? registry->tables[n] : NULL;
    pthread_mutex_unlock(&registry->mutex);
    return metrics;
}
