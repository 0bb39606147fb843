/* Writes the change files of the orders example: what Debezium says of a table of orders, and Canal of a table of
 * users.
 *
 *   weir-orders-generate FOLDER [LATER]
 *
 * The same events every time. Orders are placed, paid, shipped and done in any interleaving; some are cancelled, and a
 * few of these are removed. Users move, rise and, now and then, leave.
 *
 * As in the partitions of a topic, all events of one order (or user) are in one file, in order; so it does not matter
 * which file is read first. With LATER, what happens in the last third of the time is left to so many further files of
 * each table, later/orders-000.json and so on, for a shop that goes on while it is looked at: each of them is to be put
 * beside the others after the one before it. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ORDERS       15000
#define USERS        1500
#define ORDER_FILES  6
#define USER_FILES   3
#define USER_CHANGES 1200
#define USER_ROWS    10  /* in one message about new users */
#define OPEN_ORDERS  400 /* orders that wait for their next step at a time */

#define FIRST_DAY_MS INT64_C(1709251200000) /* 2024-03-01 00:00:00 UTC */

typedef enum status { PLACED, PAID, SHIPPED, DONE, CANCELLED } status;

static const char *const status_names[] = {"placed", "paid", "shipped", "done", "cancelled"};

typedef struct shop_order {
    int64_t order_id;
    int user_id;
    int product;
    int quantity;
    int64_t cents;
    status status;
    int64_t time_ms;
} shop_order;

typedef struct shop_user {
    int user_id;
    int city;
    int level;
    int gone;
} shop_user;

static const char *const cities[] = {"Aarhus", "Bergen", "Córdoba", "Delft", "Espoo", "Fès", "Graz", "杭州"};
static const char *const products[] = {"lamp", "chair", "desk", "shelf", "clock", "mirror", "carpet"};
static const int prices[] = {2995, 8900, 24900, 5950, 1999, 4500, 15900};

#define CITIES   (sizeof cities / sizeof *cities)
#define PRODUCTS (sizeof products / sizeof *products)

/* ---- randomness that is the same everywhere ---- */

static uint64_t random_state = 20240301;

static unsigned next_random(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % below);
}

/* ---- files ---- */

#define MAX_FILES 16
#define MAX_LATER 1000

typedef struct event_files {
    int count;
    FILE *out[MAX_FILES];
    const char *folder;
    const char *name;
    int later_count; /* 0: all goes to `out` */
    int later;       /* the file written now; -1: none yet */
    FILE *later_out;
} event_files;

static void fail(const char *path)
{
    perror(path);
    exit(1);
}

static FILE *create(const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        fail(path);
    }
    return out;
}

static void finish(FILE *out, const char *path)
{
    if (ferror(out) || fclose(out) != 0) {
        fail(path);
    }
}

static void begin_files(event_files *files, const char *folder, const char *name, int count, int later_count)
{
    *files = (event_files){.count = count, .folder = folder, .name = name, .later_count = later_count, .later = -1};
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s/%s-%d.json", folder, name, name, i);
        files->out[i] = create(path);
    }
}

/* Tells how much of what happens has happened: from two thirds on it goes to the later files. */
static void reach(event_files *files, int64_t done, int64_t total)
{
    int64_t begin = total * 2 / 3;
    if (files->later_count == 0 || done < begin) {
        return;
    }
    int later = (int)((done - begin) * files->later_count / (total - begin + 1));
    if (later == files->later) {
        return;
    }
    if (files->later_out != NULL) {
        finish(files->later_out, files->folder);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/later/%s-%03d.json", files->folder, files->name, later);
    files->later_out = create(path);
    files->later = later;
}

static FILE *file_of(const event_files *files, int64_t key)
{
    return files->later_out != NULL ? files->later_out : files->out[key % files->count];
}

static void end_files(event_files *files)
{
    for (int i = 0; i < files->count; i++) {
        finish(files->out[i], files->folder);
    }
    if (files->later_out != NULL) {
        finish(files->later_out, files->folder);
    }
}

/* ---- orders, as Debezium has them ---- */

static void print_time(FILE *out, int64_t time_ms)
{
    int64_t of_march = time_ms - FIRST_DAY_MS; /* all orders are of this month */
    int day = (int)(of_march / 86400000) + 1;
    int of_day = (int)(of_march % 86400000);
    fprintf(out, "\"2024-03-%02d %02d:%02d:%02d.%03d\"", day, of_day / 3600000, of_day / 60000 % 60, of_day / 1000 % 60,
            of_day % 1000);
}

static void print_order(FILE *out, const shop_order *order)
{
    if (order == NULL) {
        fprintf(out, "null");
        return;
    }
    fprintf(out,
            "{\"order_id\":%" PRId64 ",\"user_id\":%d,\"product\":\"%s\",\"quantity\":%d,\"amount\":\"%" PRId64
            ".%02d\",\"status\":\"%s\",\"order_time\":",
            order->order_id, order->user_id, products[order->product], order->quantity, order->cents / 100,
            (int)(order->cents % 100), status_names[order->status]);
    print_time(out, order->time_ms);
    fprintf(out, "}");
}

static void print_order_event(event_files *files, const shop_order *before, const shop_order *after, int64_t now_ms)
{
    static int64_t position;
    FILE *out = file_of(files, (before == NULL ? after : before)->order_id);
    fprintf(out, "{\"before\":");
    print_order(out, before);
    fprintf(out, ",\"after\":");
    print_order(out, after);
    fprintf(out,
            ",\"source\":{\"connector\":\"mysql\",\"db\":\"shop\",\"table\":\"orders\",\"pos\":%" PRId64
            ",\"ts_ms\":%" PRId64 "},\"op\":\"%s\",\"ts_ms\":%" PRId64 "}\n",
            ++position, now_ms,
            before == NULL  ? "c"
            : after == NULL ? "d"
                            : "u",
            now_ms + 25);
}

/* The next step of an order; returns whether it was the last. */
static int advance_order(event_files *files, shop_order *open, int64_t now_ms)
{
    shop_order before = *open;
    if (open->status == CANCELLED) {
        print_order_event(files, &before, NULL, now_ms);
        return 1;
    }
    open->status = open->status == PLACED && next_random(12) == 0 ? CANCELLED : open->status + 1;
    print_order_event(files, &before, open, now_ms);
    return open->status == DONE || (open->status == CANCELLED && next_random(3) != 0);
}

static void write_orders(const char *folder, int later_count)
{
    static shop_order open[OPEN_ORDERS];
    unsigned open_count = 0;
    int64_t placed = 0;
    int64_t now_ms = FIRST_DAY_MS + 8 * 3600000;
    event_files files;
    begin_files(&files, folder, "orders", ORDER_FILES, later_count);
    while (placed < ORDERS || open_count > OPEN_ORDERS / 2) {
        now_ms += next_random(60000);
        reach(&files, placed, ORDERS);
        int is_new =
            placed < ORDERS && open_count < OPEN_ORDERS && (open_count < OPEN_ORDERS / 2 || next_random(3) == 0);
        if (is_new) {
            int product = (int)next_random(PRODUCTS);
            int quantity = (int)next_random(4) + 1;
            open[open_count] = (shop_order){.order_id = ++placed,
                                            .user_id = (int)next_random(USERS) + 1,
                                            .product = product,
                                            .quantity = quantity,
                                            .cents = (int64_t)prices[product] * quantity,
                                            .status = PLACED,
                                            .time_ms = now_ms};
            print_order_event(&files, NULL, &open[open_count++], now_ms);
        } else {
            unsigned chosen = next_random(open_count);
            if (advance_order(&files, &open[chosen], now_ms)) {
                open[chosen] = open[--open_count];
            }
        }
    }
    end_files(&files);
}

/* ---- users, as Canal has them ---- */

static void print_user(FILE *out, const shop_user *user)
{
    fprintf(out, "{\"user_id\":\"%d\",\"name\":\"user %04d\",\"city\":\"%s\",\"level\":\"%d\",\"registered\":\"%s\"}",
            user->user_id, user->user_id, cities[user->city], user->level,
            user->user_id % 2 == 0 ? "2023-11-05" : "2024-01-17");
}

static void print_user_end(FILE *out, const char *type)
{
    static int64_t id;
    ++id;
    fprintf(out,
            ",\"database\":\"shop\",\"table\":\"users\",\"pkNames\":[\"user_id\"],\"isDdl\":false,\"type\":\"%s\","
            "\"es\":%" PRId64 ",\"ts\":%" PRId64 ",\"id\":%" PRId64 "}\n",
            type, FIRST_DAY_MS + id * 1000, FIRST_DAY_MS + id * 1000 + 40, id);
}

/* Several users of one file in a message, as Canal puts the rows of one statement together. */
static void insert_users(event_files *files, const shop_user *first)
{
    FILE *out = file_of(files, first->user_id);
    fprintf(out, "{\"data\":[");
    for (int i = 0; i < USER_ROWS; i++) {
        fprintf(out, i == 0 ? "" : ",");
        print_user(out, first + i * USER_FILES);
    }
    fprintf(out, "],\"old\":null");
    print_user_end(out, "INSERT");
}

static void change_user(event_files *files, shop_user *user)
{
    FILE *out = file_of(files, user->user_id);
    int moves = next_random(2) == 0;
    int old_city = user->city;
    int old_level = user->level;
    if (moves) {
        user->city = (int)((unsigned)(user->city + 1) % CITIES);
    } else {
        user->level++;
    }
    fprintf(out, "{\"data\":[");
    print_user(out, user);
    if (moves) {
        fprintf(out, "],\"old\":[{\"city\":\"%s\"}]", cities[old_city]);
    } else {
        fprintf(out, "],\"old\":[{\"level\":\"%d\"}]", old_level);
    }
    print_user_end(out, "UPDATE");
}

static void remove_user(event_files *files, shop_user *user)
{
    FILE *out = file_of(files, user->user_id);
    user->gone = 1;
    fprintf(out, "{\"data\":[");
    print_user(out, user);
    fprintf(out, "],\"old\":null");
    print_user_end(out, "DELETE");
}

static void write_users(const char *folder, int later_count)
{
    static shop_user users[USERS];
    event_files files;
    begin_files(&files, folder, "users", USER_FILES, later_count);
    for (int i = 0; i < USERS; i++) {
        users[i] = (shop_user){.user_id = i + 1, .city = (int)next_random(CITIES), .level = 1};
    }
    for (int i = 0; i < USERS; i += USER_ROWS * USER_FILES) {
        for (int file = 0; file < USER_FILES; file++) {
            insert_users(&files, &users[i + file]);
        }
    }
    for (int i = 0; i < USER_CHANGES; i++) {
        shop_user *chosen = &users[next_random(USERS)];
        reach(&files, i, USER_CHANGES);
        if (chosen->gone) {
            continue;
        }
        if (next_random(40) == 0) {
            remove_user(&files, chosen);
        } else {
            change_user(&files, chosen);
        }
    }
    end_files(&files);
}

static void make_folder(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (mkdir(folder, 0777) != 0 || mkdir(path, 0777) != 0) {
        struct stat info; /* an earlier run may have made it */
        if (stat(path, &info) != 0 && mkdir(path, 0777) != 0) {
            fail(path);
        }
    }
}

int main(int argc, char **argv)
{
    int later_count = argc == 3 ? atoi(argv[2]) : 0;
    if (argc < 2 || argc > 3 || later_count < 0 || later_count > MAX_LATER) {
        fprintf(stderr, "usage: %s FOLDER [LATER]\n", argv[0]);
        return 2;
    }
    make_folder(argv[1], "orders");
    make_folder(argv[1], "users");
    if (later_count > 0) {
        make_folder(argv[1], "later");
    }
    write_orders(argv[1], later_count);
    write_users(argv[1], later_count);
    return 0;
}
