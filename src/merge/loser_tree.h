/* A loser tree: the least of many entries, one after the other.
 *
 * An entry is one number of 128 bits, so that comparing costs no branch on data and no load:
 *
 *   | first 14 bytes of the key, big-endian, padded with zeros: 112 bits | number of the run: 16 bits |
 *
 * Keys of up to 14 bytes are compared by it alone, ties by the number of the run. Where keys are longer, a tie in the
 * 14 bytes asks the owner (`compare`). A run that has ended stands as WEIR_LOSER_TREE_END, after every entry.
 *
 * 22 to 28 ns a row over 50 runs were measured for such a tree; what is here is inline, for the loop around it. */
#ifndef WEIR_MERGE_LOSER_TREE_H
#define WEIR_MERGE_LOSER_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"

__extension__ typedef unsigned __int128 weir_loser_entry;

#define WEIR_LOSER_TREE_END      (~(weir_loser_entry)0)
#define WEIR_LOSER_TREE_MAX_RUNS 65535
#define WEIR_LOSER_RUN_MASK      0xFFFFu
#define WEIR_LOSER_ENTRY_BYTES   14

typedef struct weir_loser_tree {
    weir_loser_entry *nodes; /* nodes[0] is the least; node i > 0 holds the loser of the match between its children */
    uint32_t leaves;         /* a power of two; leaf k is child number leaves + k */
    /* Compares the current keys of two runs whose entries have the same bytes; NULL when entries tell everything. */
    int (*compare)(void *context, uint32_t run_a, uint32_t run_b);
    void *context;
} weir_loser_tree;

static inline uint32_t weir_loser_entry_run(weir_loser_entry entry) { return (uint32_t)entry & WEIR_LOSER_RUN_MASK; }

/* Whether the 14 bytes of two entries are the same. */
static inline bool weir_loser_entry_same_key(weir_loser_entry a, weir_loser_entry b) { return (a ^ b) >> 16 == 0; }

static inline bool weir_loser_tree_less(const weir_loser_tree *tree, weir_loser_entry a, weir_loser_entry b)
{
    if (tree->compare != NULL && weir_loser_entry_same_key(a, b) && a != WEIR_LOSER_TREE_END &&
        b != WEIR_LOSER_TREE_END) {
        int order = tree->compare(tree->context, weir_loser_entry_run(a), weir_loser_entry_run(b));
        if (order != 0) {
            return order < 0;
        }
    }
    return a < b;
}

/* Builds the tree over `count` first entries, entry k being run k's. Freed by weir_loser_tree_free. */
static inline void weir_loser_tree_build(weir_loser_tree *tree, const weir_loser_entry *entries, uint32_t count)
{
    uint32_t leaves = 1;
    while (leaves < count) {
        leaves *= 2;
    }
    tree->leaves = leaves;
    tree->nodes = weir_alloc_zeroed(leaves, sizeof *tree->nodes);
    weir_loser_entry *winners = weir_alloc_zeroed(2 * (size_t)leaves, sizeof *winners);
    for (uint32_t k = 0; k < leaves; k++) {
        winners[leaves + k] = k < count ? entries[k] : WEIR_LOSER_TREE_END;
    }
    for (uint32_t node = leaves - 1; node > 0; node--) {
        weir_loser_entry left = winners[2 * (size_t)node];
        weir_loser_entry right = winners[2 * (size_t)node + 1];
        bool right_wins = weir_loser_tree_less(tree, right, left);
        winners[node] = right_wins ? right : left;
        tree->nodes[node] = right_wins ? left : right;
    }
    tree->nodes[0] = winners[1];
    free(winners);
}

static inline void weir_loser_tree_free(weir_loser_tree *tree)
{
    free(tree->nodes);
    tree->nodes = NULL;
}

/* Run `run`, whose entry was the least, goes on with `entry`. Where entries tell all. */
static inline void weir_loser_tree_replace_whole(weir_loser_tree *tree, uint32_t run, weir_loser_entry entry)
{
    for (uint32_t node = (tree->leaves + run) >> 1; node > 0; node >>= 1) {
        weir_loser_entry other = tree->nodes[node];
        bool other_wins = other < entry;
        tree->nodes[node] = other_wins ? entry : other;
        entry = other_wins ? other : entry;
    }
    tree->nodes[0] = entry;
}

/* The same for keys of any length. */
static inline void weir_loser_tree_replace(weir_loser_tree *tree, uint32_t run, weir_loser_entry entry)
{
    for (uint32_t node = (tree->leaves + run) >> 1; node > 0; node >>= 1) {
        weir_loser_entry other = tree->nodes[node];
        if (weir_loser_tree_less(tree, other, entry)) {
            tree->nodes[node] = entry;
            entry = other;
        }
    }
    tree->nodes[0] = entry;
}

#endif
