# The first stored form. An empty store needs nothing moved; the step marks the node that the
# store's bookkeeping hangs on. The program adds form version and hash in the same transaction.
PREFIX prov: <http://www.w3.org/ns/prov#>

INSERT DATA {
  GRAPH <graph/system> { <store/state> a prov:Entity . }
}
