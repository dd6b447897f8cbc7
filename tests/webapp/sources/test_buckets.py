"""Objects in S3 storage as the source of a graph, against a server of the protocol."""

import pytest

from tests.support.s3_server import check_signatures, connect, run_s3_server
from webapp.graphs import snapshots
from webapp.sources.buckets import OBJECTS_MAX, parse_location
from webapp.sources.models import GraphSource


@pytest.fixture(scope="module")
def server():
    """The address of an S3 server."""
    with run_s3_server() as address:
        yield address


@pytest.fixture
def bucket(server, allow, monkeypatch):
    """A bucket with two files of cities in a folder; the keys of the installation itself are wrong ones."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "installation")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "installation")
    allow(hosts=[server.removeprefix("http://")])
    made = connect(server).Bucket("open-data")
    made.create()
    made.put_object(Key="cities/south.csv", Body=b"city,country\nParis,France\nRome,Italy\n", ACL="public-read")
    made.put_object(Key="cities/more/north.csv", Body=b"city,country\nOslo,Norway\n", ACL="public-read")
    made.put_object(Key="cities/", Body=b"", ACL="public-read")
    made.put_object(Key="cities/_SUCCESS", Body=b"", ACL="public-read")
    made.put_object(Key="cities-2.csv", Body=b"city,country\nRiga,Latvia\n", ACL="public-read")
    yield made
    made.objects.all().delete()
    made.delete()


def list_countries(graph):
    """The cities of the current version with their countries."""
    graph.refresh_from_db()
    snapshot = snapshots.open_current(graph)
    hops = (snapshot.get_hop(fact) for fact in range(snapshot.num_triples))
    return sorted((hop.source.label, hop.target.label) for hop in hops if hop.step.name == "country")


def test_all_objects_below_a_prefix_are_read_when_one_of_them_changed(source, refresh, bucket, server, owned_graph):
    made = source(kind="s3", addresses=[f"s3://open-data/cities?endpoint={server}"])
    assert made.status_code == 201, made.content
    sample = "city,country\nOslo,Norway\ncity,country\nParis,France\nRome,Italy"
    assert source("/check").json() == {"sample": sample, "keeps_model": False}
    assert refresh().outcome == "changed"
    assert list_countries(owned_graph) == [("Oslo", "Norway"), ("Paris", "France"), ("Rome", "Italy")]
    names = owned_graph.snapshot.files.values_list("name", flat=True)
    assert sorted(names) == ["north.csv", "south.csv"]
    assert source("/check").json()["keeps_model"] is True
    assert refresh().outcome == "unchanged"
    bucket.put_object(Key="cities/south.csv", Body=b"city,country\nParis,France\nBern,Switzerland\n", ACL="public-read")
    assert refresh().outcome == "changed"
    assert list_countries(owned_graph) == [("Bern", "Switzerland"), ("Oslo", "Norway"), ("Paris", "France")]


def test_an_object_is_read_by_its_key(source, refresh, bucket, server, owned_graph):
    source(kind="s3", addresses=[f"s3://open-data/cities-2.csv?endpoint={server}"], file_name="towns.csv")
    assert refresh().outcome == "changed"
    assert list_countries(owned_graph) == [("Riga", "Latvia")]
    assert [file.name for file in owned_graph.snapshot.files.all()] == ["towns.csv"]


def test_objects_of_one_name_keep_the_folders_in_theirs(source, refresh, bucket, server, owned_graph):
    bucket.put_object(Key="cities/more/south.csv", Body=b"city,country\nLima,Peru\n", ACL="public-read")
    source(kind="s3", addresses=[f"s3://open-data/cities/?endpoint={server}"])
    assert refresh().outcome == "changed"
    names = sorted(file.name for file in owned_graph.snapshot.files.all())
    assert names == ["more south.csv", "north.csv", "south.csv"]


def test_the_secret_key_signs_requests_and_is_not_shown(source, refresh, bucket, server, allow):
    with check_signatures(server) as (user, secret):
        assert source(kind="s3", addresses=[f"s3://open-data/cities/?endpoint={server}"]).status_code == 201
        refused = source("/check").json()["error"]
        assert (refused["code"], "refuses" in refused["message"]) == ("bad_source", True)
        wrong = source("/check", addresses=[f"s3://{user}:wrong@open-data/cities/?endpoint={server}"]).json()["error"]
        assert "SignatureDoesNotMatch" in wrong["message"]
        address = f"s3://{user}:{secret}@open-data/cities/?endpoint={server}"
        shown = source("", "patch", addresses=[address]).json()["source"]
        assert (shown["addresses"], shown["has_password"]) == (
            [f"s3://{user}@open-data/cities/?endpoint={server}"],
            True,
        )
        assert refresh().outcome == "changed"
        assert secret not in str(GraphSource.objects.values().get())
        other = source("", "patch", addresses=[f"s3://{user}@open-data/cities-2.csv?endpoint={server}"])
        assert other.status_code == 200  # the same storage and user
        allow(hosts=[server.removeprefix("http://"), "other.test"])
        moved = source("", "patch", addresses=[f"s3://{user}@open-data/cities/?endpoint=http://other.test"])
        assert moved.json()["error"]["code"] == "key_needed"


def test_what_is_missing_or_too_much_is_said_and_leaves_the_graph(source, refresh, bucket, server, owned_graph):
    source(kind="s3", addresses=[f"s3://open-data/towns?endpoint={server}"])
    made = refresh()
    assert (made.outcome, made.error_code) == ("failed", "bad_source")
    assert made.error_message == "There are no objects with content in open-data/towns/."
    source("", "patch", addresses=[f"s3://elsewhere/?endpoint={server}"])
    assert "NoSuchBucket" in refresh().error_message
    for number in range(OBJECTS_MAX + 1):
        bucket.put_object(Key=f"parts/{number}.csv", Body=b"a,b\n1,2\n", ACL="public-read")
    source("", "patch", addresses=[f"s3://open-data/parts?endpoint={server}"])
    assert f"More than {OBJECTS_MAX} objects" in refresh().error_message
    owned_graph.refresh_from_db()
    assert (owned_graph.snapshot.version, owned_graph.state) == (1, "ready")


def test_storage_that_does_not_answer_is_said(source, allow):
    allow(hosts=["127.0.0.1:9"])
    source(kind="s3", addresses=["s3://open-data/cities?endpoint=http://127.0.0.1:9"])
    error = source("/check").json()["error"]
    assert (error["code"], error["message"].split(": ")[0]) == (
        "bad_source",
        "The storage at http://127.0.0.1:9 does not answer",
    )


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        ("s3://open-data/cities", "not_allowed", "CLEW_IMPORT_HOSTS"),
        ("s3://open-data/cities?endpoint=http://elsewhere.test", "not_allowed", "CLEW_IMPORT_HOSTS"),
        ("s3://open-data/cities?endpoint=http://u:p@ok.test", "not_allowed", "CLEW_IMPORT_HOSTS"),
        ("s3://open-data/cities?region=x.elsewhere.test/&endpoint=http://ok.test", "invalid", "eu-west-1"),
        ("s3://open-data/cities?region=x/y", "invalid", "eu-west-1"),
        ("https://ok.test/cities", "invalid", "s3://ACCESS_KEY"),
        ("s3://", "invalid", "s3://ACCESS_KEY"),
        ("s3://AKIA@open-data/x?endpoint=http://ok.test", "invalid", "s3://ACCESS_KEY"),
    ],
)
def test_addresses_that_can_never_be_read_are_refused(source, allow, address, code, words):
    allow(hosts=["ok.test"])
    error = source(kind="s3", addresses=[address]).json()["error"]
    assert (error["code"], words in error["hint"]) == (code, True), error
    assert GraphSource.objects.count() == 0


def test_keys_may_hold_what_addresses_reserve(allow):
    allow(hosts=["ok.test", "s3.eu-west-1.amazonaws.com"])
    location = parse_location("s3://AKIA:ab/c+d%40=@bucket-1/a b/x?y@z.csv?endpoint=http://ok.test&region=eu-west-1")
    assert (location.user, location.secret, location.bucket) == ("AKIA", "ab/c+d@=", "bucket-1")
    assert (location.path, location.server, location.region) == ("a b/x?y@z.csv", "http://ok.test", "eu-west-1")
    assert str(location) == "s3://AKIA@bucket-1/a b/x?y@z.csv?endpoint=http://ok.test&region=eu-west-1"
    assert parse_location(str(location)).secret is None
    assert parse_location("s3://bucket?region=eu-west-1").server == "https://s3.eu-west-1.amazonaws.com"
