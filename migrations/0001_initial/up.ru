INSERT DATA { GRAPH <graph/system> { <store/state> <https://w3id.org/stratagate/ns#formatVersion> 1 } }
