/* One sink behind several INSERTs of a job. */
#include "cmocka_all.h"

#include "stream/sink/shared_sink.h"

/* A sink that notes what is done with it. */
typedef struct noting_sink {
    weir_stream_sink base; /* first */
    int64_t watermark;     /* of the last prepare */
    int prepares, commits, recoveries, closes;
} noting_sink;

static int note_write(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    (void)err;
    self->summary.rows += batch->length;
    return WEIR_OK;
}

static int note_prepare(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err)
{
    (void)checkpoint;
    (void)last;
    (void)err;
    ((noting_sink *)self)->prepares++;
    ((noting_sink *)self)->watermark = self->watermark;
    weir_buffer_append_text(out, "files");
    return WEIR_OK;
}

static int note_commit(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    (void)checkpoint;
    (void)err;
    assert_true(weir_slice_equal(prepared, weir_slice_text("files")));
    ((noting_sink *)self)->commits++;
    self->summary.commits++;
    return WEIR_OK;
}

static int note_recover(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    (void)checkpoint;
    (void)err;
    assert_true(weir_slice_equal(prepared, weir_slice_text("files")));
    ((noting_sink *)self)->recoveries++;
    return WEIR_OK;
}

static void note_close(weir_stream_sink *self) { ((noting_sink *)self)->closes++; }

static bool note_awaits(weir_stream_sink *self)
{
    (void)self;
    return true;
}

static void open_shares(noting_sink *sink, weir_stream_sink *shares[3])
{
    *sink = (noting_sink){.base = {.write = note_write,
                                   .prepare = note_prepare,
                                   .commit = note_commit,
                                   .recover = note_recover,
                                   .close = note_close,
                                   .awaits = note_awaits,
                                   .takes = WEIR_SINK_UPSERTS,
                                   .watermark = INT64_MIN}};
    weir_shared_sink_create(&sink->base, 3, shares);
}

static void close_shares(const noting_sink *sink, weir_stream_sink *shares[3])
{
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sink->closes, 0);
        shares[i]->close(shares[i]);
    }
    assert_int_equal(sink->closes, 1);
}

/* What a job does with the sinks of its INSERTs: see checkpoint.c. */
static void make_checkpoint(weir_stream_sink *shares[3], const int64_t watermarks[3])
{
    weir_buffer prepared[3] = {0};
    for (int i = 0; i < 3; i++) {
        shares[i]->watermark = watermarks[i];
        assert_int_equal(shares[i]->prepare(shares[i], 1, false, &prepared[i], NULL), WEIR_OK);
    }
    for (int i = 0; i < 3; i++) {
        if (prepared[i].size > 0) {
            assert_int_equal(shares[i]->commit(shares[i], 1, weir_buffer_slice(&prepared[i]), NULL), WEIR_OK);
        }
        weir_buffer_free(&prepared[i]);
    }
}

static void a_checkpoint_is_one_commit_of_what_all_have_written(void **state)
{
    (void)state;
    noting_sink sink;
    weir_stream_sink *shares[3];
    open_shares(&sink, shares);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(shares[i]->takes, WEIR_SINK_UPSERTS);
        weir_batch batch = {.length = 10 + i};
        assert_int_equal(shares[i]->write(shares[i], &batch, NULL), WEIR_OK);
    }
    make_checkpoint(shares, (int64_t[]){1, 2, 3});
    make_checkpoint(shares, (int64_t[]){4, 5, 6});
    assert_int_equal(sink.prepares, 2);
    assert_int_equal(sink.commits, 2);
    for (int i = 0; i < 3; i++) { /* rows are each INSERT's own, commits are counted once */
        assert_int_equal(shares[i]->summary.rows, 10 + i);
        assert_int_equal(shares[i]->summary.commits, i == 2 ? 2 : 0);
        assert_int_equal(shares[i]->awaits != NULL, i == 2);
    }
    close_shares(&sink, shares);
}

static void rows_are_complete_up_to_the_least_watermark(void **state)
{
    (void)state;
    noting_sink sink;
    weir_stream_sink *shares[3];
    open_shares(&sink, shares);
    make_checkpoint(shares, (int64_t[]){30, 10, 20});
    assert_int_equal(sink.watermark, 10);
    make_checkpoint(shares, (int64_t[]){30, 40, 50});
    assert_int_equal(sink.watermark, 30);
    make_checkpoint(shares, (int64_t[]){INT64_MAX, INT64_MIN, 60});
    assert_int_equal(sink.watermark, INT64_MIN);
    close_shares(&sink, shares);
}

static void what_was_prepared_is_recovered_once(void **state)
{
    (void)state;
    noting_sink sink;
    weir_stream_sink *shares[3];
    open_shares(&sink, shares);
    for (int i = 0; i < 3; i++) {
        weir_slice kept = i == 2 ? weir_slice_text("files") : (weir_slice){0};
        assert_int_equal(shares[i]->recover(shares[i], 1, kept, NULL), WEIR_OK);
    }
    assert_int_equal(sink.recoveries, 1);
    close_shares(&sink, shares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_is_one_commit_of_what_all_have_written),
        cmocka_unit_test(rows_are_complete_up_to_the_least_watermark),
        cmocka_unit_test(what_was_prepared_is_recovered_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
