/* sql: Flink's SQL. Text goes in; statements, bound plans and rows come out.
 *
 *   ast.h      what the parser makes: statements, each with its place in the text; queries and expressions: ast_query.h
 *   parser.h   text to statements, and errors shown with the line and a caret
 *   type.h     Flink's type rules: intervals, common types, what may be cast to what
 *   plan.h     bound plans: relations and expressions over column numbers, every one with its Flink type
 *   binder.h   statements to bound plans, by names that the session resolves
 *   scan.h     what a table has to offer so that queries can read it (given by the session)
 *   engine.h   plans run: batch queries through DuckDB, projections over one batch for streams
 *
 * The way of a query: parse/ makes an AST, bind/ resolves and types it and pushes work down to scans, generate/ writes
 * DuckDB's SQL (columns c0, c1…, explicit casts, a closed list of functions), function/ holds the one table of
 * functions and their kernels, engine/ holds everything that calls DuckDB.
 *
 * Knows nothing of catalogs, settings or files: the session room gives tables through weir_resolver.
 * Threading: parsing and binding are free of shared state. An engine may be used by several threads; a result or a
 * projection by one at a time. */
#ifndef WEIR_SQL_H
#define WEIR_SQL_H

#include "sql/ast.h"
#include "sql/binder.h"
#include "sql/engine.h"
#include "sql/parser.h"
#include "sql/plan.h"
#include "sql/scan.h"
#include "sql/type.h"

#endif
