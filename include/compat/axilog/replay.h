/** Not for deployed rigs: the functions of replay take the library's own fault struct. */

#error "axilog/replay.h takes sixteen fault flags: compile this source with include and without include/compat, or have the command axilog replay the ledger"
