"""Asks a running service with clients that others have written, and checks an export against the shapes.

    python sparql_clients.py PROGRAM

PROGRAM is the `stratagate` binary. The demo's conversation is told into a temporary folder, which a
server of its own then serves on a free port of the loopback interface.
"""

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import pyshacl
import rdflib
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper import CSV, JSON, POST, POSTDIRECTLY, TSV, TURTLE, XML, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed

ROOT = Path(__file__).resolve().parents[2]
SG = "https://w3id.org/stratagate/ns#"
PREFIX = f"PREFIX sg: <{SG}>\n"
CURRENT = PREFIX + "SELECT ?project ?tool WHERE { ?project sg:packageManager ?tool }"


def check(what, holds, detail=""):
    if not holds:
        sys.exit(f"FAILED: {what}: {detail}")
    print(f"ok: {what}")


def sparql_wrapper(endpoint):
    """SPARQLWrapper: every query form, both methods, every result format."""

    def ask(query, form=JSON, method=None, direct=False):
        client = SPARQLWrapper(endpoint)
        client.setQuery(query)
        client.setReturnFormat(form)
        if method:
            client.setMethod(method)
        if direct:
            client.setRequestMethod(POSTDIRECTLY)
        return client.queryAndConvert()

    rows = ask(CURRENT)["results"]["bindings"]
    check("SELECT by GET", any(row["tool"]["value"].endswith("pnpm") for row in rows), rows)
    check("SELECT by a form", ask(CURRENT, method=POST)["results"]["bindings"] == rows)
    check("SELECT by a direct POST", ask(CURRENT, method=POST, direct=True)["results"]["bindings"] == rows)
    check("SELECT as XML", "pnpm" in ask(CURRENT, XML).toxml())
    check("SELECT as CSV", b"pnpm" in ask(CURRENT, CSV))
    check("SELECT as TSV", b"pnpm" in ask(CURRENT, TSV))
    check("ASK", ask(PREFIX + "ASK { ?project sg:packageManager ?tool }")["boolean"] is True)
    graph = rdflib.Graph().parse(
        data=ask(PREFIX + "CONSTRUCT WHERE { ?project sg:packageManager ?tool }", TURTLE), format="turtle"
    )
    check("CONSTRUCT as Turtle", len(graph) == len(rows), graph.serialize())
    project = rows[0]["project"]["value"]
    described = rdflib.Graph().parse(data=ask(f"DESCRIBE <{project}>", TURTLE), format="turtle")
    check("DESCRIBE", len(described) > 0)
    try:
        ask("SELECT nonsense")
        check("a broken query is refused", False)
    except QueryBadFormed as error:
        check("a broken query is refused", "valid SPARQL" in str(error), error)


def rdflib_store(endpoint, base):
    """rdflib: the endpoint as a graph, a named graph, and prepared patterns."""
    current = rdflib.Graph(SPARQLStore(endpoint))
    pairs = list(current.subject_objects(rdflib.URIRef(SG + "packageManager")))
    check("rdflib reads the present", any(str(tool).endswith("pnpm") for _, tool in pairs), pairs)
    check("rdflib counts", len(current) > 10, len(current))
    meta = rdflib.Graph(SPARQLStore(endpoint, context_aware=True), identifier=rdflib.URIRef(base + "graph/meta"))
    facts = list(meta.subjects(rdflib.RDF.type, rdflib.URIRef(SG + "Fact")))
    check("rdflib reads a named graph", len(facts) >= 2, facts)
    rows = list(current.query(PREFIX + "SELECT (COUNT(?fact) AS ?n) { ?s sg:currentFact ?fact }"))
    check("rdflib queries", int(rows[0][0]) > 0, rows)


def descriptions(address):
    """The service description and VoID are RDF that names what is there."""
    described = rdflib.Graph().parse(f"{address}/v1/namespaces/demo/sparql", format="turtle")
    sd = rdflib.Namespace("http://www.w3.org/ns/sparql-service-description#")
    check("the service describes itself", (None, rdflib.RDF.type, sd.Service) in described)
    void = rdflib.Graph().parse(f"{address}/.well-known/void", format="turtle")
    ns = rdflib.Namespace("http://rdfs.org/ns/void#")
    check("VoID lists a dataset", (None, rdflib.RDF.type, ns.Dataset) in void)


def shapes(address):
    """An export satisfies the shapes of the ontology."""
    request = urllib.request.Request(f"{address}/v1/namespaces/demo/export?format=nquads")
    with urllib.request.urlopen(request, timeout=60) as answer:
        exported = rdflib.Dataset()
        exported.parse(data=answer.read().decode(), format="nquads")
    # The shapes speak of things, wherever they are recorded.
    data = rdflib.Graph()
    for subject, predicate, obj, _ in exported.quads():
        data.add((subject, predicate, obj))
    ontology = rdflib.Graph()
    for name in ("core.ttl", "shapes.ttl"):
        ontology.parse(ROOT / "ontology" / name, format="turtle")
    conforms, _, text = pyshacl.validate(data, shacl_graph=ontology, ont_graph=ontology, advanced=True)
    check(f"an export of {len(data)} triples satisfies the shapes", conforms, text[:4000])


def act(address, body):
    request = urllib.request.Request(
        f"{address}/v1/namespaces/demo/acts",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"FAILED: {body}: {error.read().decode()}")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/memory"
        told = subprocess.run([program, "demo", "--data", data], capture_output=True, text=True, timeout=300)
        check("the demo is told", told.returncode == 0, told.stderr)
        server = subprocess.Popen(
            [program, "--data", data, "serve", "--clock", "messages", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            address = server.stdout.readline().split()[-1]
            endpoint = f"{address}/v1/namespaces/demo/sparql"
            base = "https://w3id.org/stratagate/id/demo/"
            sparql_wrapper(endpoint)
            rdflib_store(endpoint, base)
            descriptions(address)
            shapes(address)
            # And with what operators leave behind.
            entity = f"{address}/v1/namespaces/demo/entities/project:this-project"
            with urllib.request.urlopen(entity, timeout=60) as answer:
                fact = next(f for f in json.load(answer)["current"] if f["property"] == "package_manager")
            act(address, {"kind": "correct", "fact": fact["id"], "value": "yarn", "note": "asked Jonas"})
            act(address, {"kind": "retract", "event": fact["events"][0]})
            shapes(address)
        finally:
            server.terminate()
            server.wait(timeout=30)


main()
