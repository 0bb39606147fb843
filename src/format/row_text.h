/* Rows in text: JSON lines, change events, CSV. It comes in pieces of a file, or in messages.
 *
 * A reader is handed the unread text of one file and says how much of it it used up; what is left over (the beginning
 * of a record) is handed in again with more text after it. So files of any size are read in one small buffer, and a
 * position in a file is a byte offset. */
#ifndef WEIR_FORMAT_ROW_TEXT_H
#define WEIR_FORMAT_ROW_TEXT_H

#include "vector/vector.h"

/* Bytes of zero that must be readable after the text, so that scanners may look ahead without asking. */
#define WEIR_ROW_TEXT_PADDING 64

/* Longest text that is handed over at once, and so the longest record. */
#define WEIR_ROW_TEXT_LIMIT ((size_t)1 << 30)

typedef struct weir_row_text {
    const char *path; /* for messages */
    const uint8_t *data;
    size_t size;
    int64_t first_line; /* the number of the line that `data` begins in, from 1 */
    bool is_end;        /* nothing follows: the file ends with this text */
} weir_row_text;

/* Messages, each of which is a text of its own. They lie one after the other with a zero after each, and padding after
 * the last:
 *
 *   | message 0 | 0 | message 1 | 0 | … | padding |       starts[i]: where message i begins; starts[count]: the end */
typedef struct weir_row_messages {
    const uint8_t *data;
    const uint32_t *starts;
    const uint8_t *is_null; /* of each message: there is none, which is not an empty one; NULL: all are there */
    int64_t count;
    int32_t *row_counts; /* set by the reader: how many rows each message has made */
    /* Appends what messages call a message, such as "topic 'a', partition 0, offset 7". */
    void (*append_name)(void *owner, int64_t message, weir_buffer *out);
    void *owner;
} weir_row_messages;

static inline size_t weir_row_message_size(const weir_row_messages *messages, int64_t i)
{
    return messages->starts[i + 1] - messages->starts[i] - 1;
}

static inline bool weir_row_message_is_null(const weir_row_messages *messages, int64_t i)
{
    return messages->is_null != NULL && messages->is_null[i];
}

/* The message that holds this byte of the data. */
static inline int64_t weir_row_message_at(const weir_row_messages *messages, size_t offset)
{
    int64_t low = 0;
    int64_t high = messages->count - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (messages->starts[middle] <= offset) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

typedef struct weir_row_reader weir_row_reader;

struct weir_row_reader {
    /* Appends rows to `batch` until it holds `most_rows`, or a few more where one message makes several rows, or the
     * text holds no further whole record. The rows come from the first *out_used bytes. With kinds of rows where the
     * format has them. */
    int (*read)(weir_row_reader *self, const weir_row_text *text, int64_t most_rows, weir_batch *batch,
                size_t *out_used, weir_error *err);
    /* Appends the rows of all messages. A NULL message makes none, other than in formats that say so. */
    int (*read_messages)(weir_row_reader *self, const weir_row_messages *messages, weir_batch *batch, weir_error *err);
    void (*close)(weir_row_reader *self);

    /* What must be remembered beside a byte offset to go on from there. Set it to 0 where a file begins. */
    uint8_t state;
    bool gives_changes; /* rows of every kind, not only +I */
};

typedef struct weir_row_writer weir_row_writer;

struct weir_row_writer {
    /* Appends rows first .. first + count - 1 as text, a line each. */
    int (*write)(weir_row_writer *self, const weir_batch *batch, int64_t first, int64_t count, weir_buffer *out,
                 weir_error *err);
    void (*close)(weir_row_writer *self);

    bool takes_changes;      /* rows of every kind, not only +I */
    bool null_is_no_message; /* a row whose only value is NULL is a message without text, rather than an empty text */
};

#endif
