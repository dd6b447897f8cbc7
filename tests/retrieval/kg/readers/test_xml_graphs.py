"""GraphML and GEXF: defaults, declared encodings, times."""

import networkx as nx
import pytest

from retrieval.kg.readers import read_graph

GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="n" for="node" attr.name="name"/><key id="f" for="node" attr.name="floor"><default>ground</default></key>
<key id="r" for="edge" attr.name="relation"><default>leads to</default></key>
<graph edgedefault="directed">
<node id="1"><data key="n">Küche</data></node><node id="2"><data key="n">Attic</data><data key="f">third</data></node>
<edge source="1" target="2"/><edge source="2" target="1"><data key="r">is above</data></edge>
</graph></graphml>"""


def said(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    table = read_graph(path, problems=pytest.fail)
    facts = table.facts.rows()
    nodes = set() if table.node_attributes is None else set(table.node_attributes.rows())
    of_facts = [] if table.fact_attributes is None else table.fact_attributes.rows()
    return set(facts), nodes, {(facts[fact], key, value) for fact, key, value in of_facts}


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
def test_defaults_of_graphml_hold_where_nothing_else_is_said(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n{GRAPHML}'
    facts, nodes, _ = said(tmp_path, text.encode(encoding), "a.graphml")
    assert facts == {("Küche", "leads to", "Attic"), ("Attic", "is above", "Küche")}
    assert nodes == {("Küche", "floor", "ground"), ("Attic", "floor", "third")}


GEXF = """<?xml version="1.0"?>
<gexf xmlns="http://www.gexf.net/1.3" version="1.3"><graph mode="dynamic" defaultedgetype="directed">
<attributes class="node"><attribute id="0" title="salary" type="integer"/>
<attribute id="1" title="site"><default>Oslo</default></attribute></attributes>
<nodes><node id="7" label="Nina"><attvalues><attvalue for="0" value="8" start="2019" end="2020"/></attvalues></node>
<node id="8" label="Lab"><attvalues><attvalue for="1" value="Bergen"/></attvalues></node></nodes>
<edges><edge source="7" target="8" label="works at"><spells><spell start="2019" end="2020"/></spells></edge></edges>
</graph></gexf>"""


def test_times_of_gexf_are_attributes_of_facts(tmp_path):
    facts, nodes, of_facts = said(tmp_path, GEXF, "a.gexf")
    # 8 is a salary, and the id of the lab as well.
    assert facts == {("Nina", "salary", "8"), ("Nina", "works at", "Lab")}
    assert nodes == {("Nina", "site", "Oslo"), ("Lab", "site", "Bergen")}
    assert of_facts == {(fact, key, value) for fact in facts for key, value in (("start", "2019"), ("end", "2020"))}


def test_networkx_writes_gexf_that_is_read(tmp_path):
    graph = nx.Graph()
    graph.add_node(1, label="A", age=3)
    graph.add_node(2, label="B")
    graph.add_edge(1, 2)
    nx.write_gexf(graph, tmp_path / "a.gexf")
    facts, nodes, _ = said(tmp_path, (tmp_path / "a.gexf").read_bytes(), "b.gexf")
    assert facts == {("A", "connected to", "B"), ("B", "connected to", "A")}  # it has no direction
    assert nodes == {("A", "age", "3")}


def test_types_of_gephi_say_which_way_edges_go(tmp_path):
    (tmp_path / "nodes.csv").write_bytes(b"Id,Label\ra-x,Ann X\rn-y,Nan\r")
    (tmp_path / "edges.csv").write_bytes(b"Source,Target,Type,Label,Weight\ra-x,n-y,Undirected,,3\r")
    table = read_graph([tmp_path / "nodes.csv", tmp_path / "edges.csv"], problems=pytest.fail)
    assert set(table.facts.rows()) == {("Ann X", "connected to", "Nan"), ("Nan", "connected to", "Ann X")}
