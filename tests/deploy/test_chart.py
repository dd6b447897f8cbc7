"""The Helm chart, rendered by Helm itself and validated against Kubernetes' schemas."""

from __future__ import annotations

import re

import pytest

from tests.deploy.test_files import SETTINGS, STARTS
from tests.support.deployment import CHART, parse_manifests, render_chart
from webapp.project import env

pytest.importorskip("helm_python", reason="requirements-dev.txt is not installed")
import kubernetes_validate

SECRETS = {
    "DATABASE_URL": "postgresql://clew:secret@db/clew",
    "REDIS_URL": "redis://redis/0",
    "CLEW_SECRET_KEY": "k" * 32,
}
REMOTE = {"secrets": SECRETS, "settings": {"CLEW_STORAGE": "s3://clew?endpoint=http://s3:8333"}}
SHARED = {
    "existingSecret": "mine",
    "storage": {"shared": True, "storageClass": "nfs"},
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls", "annotations": {"a": "b"}},
    "jobs": {"settings": {"CLEW_IMPORT_MEMORY_GB": "7"}},
    "podAnnotations": {"note": "x"},
    "imagePullSecrets": [{"name": "registry"}],
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "clew", "operator": "Exists"}],
}


@pytest.fixture(scope="module")
def rendered():
    return dict(zip(("remote", "shared"), render_chart(REMOTE, SHARED), strict=True))


def list_resources(rendered, kind):
    return {each["metadata"]["name"]: each for each in parse_manifests(rendered) if each["kind"] == kind}


def get_container(resource):
    (container,) = resource["spec"]["template"]["spec"]["containers"]
    return container


@pytest.mark.parametrize("name", ["remote", "shared"])
@pytest.mark.parametrize("version", ["1.25", "1.37"])
def test_resources_fit_the_schemas_of_kubernetes(rendered, name, version):
    for resource in parse_manifests(rendered[name]):
        kubernetes_validate.validate(resource, version, strict=True)


def test_each_role_is_a_deployment_that_a_node_may_not_take_away_at_once(rendered):
    deployments = list_resources(rendered["remote"], "Deployment")
    assert sorted(get_container(each)["args"][:2] for each in deployments.values()) == STARTS
    assert deployments.keys() == list_resources(rendered["remote"], "PodDisruptionBudget").keys()
    for budget in list_resources(rendered["remote"], "PodDisruptionBudget").values():
        labels = budget["spec"]["selector"]["matchLabels"]
        chosen = [each for each in deployments.values() if labels == each["spec"]["selector"]["matchLabels"]]
        assert [each["metadata"]["name"] for each in chosen] == [budget["metadata"]["name"]]


def test_probes_ask_the_server_by_a_name_that_it_answers_to(rendered):
    web = get_container(list_resources(rendered["remote"], "Deployment")["demo-clew-web"])
    assert web["ports"] == [{"name": "http", "containerPort": env.read({}).port}]
    paths = {name: web[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")}
    assert paths == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
    assert {str(web[f"{name}Probe"]["httpGet"]["httpHeaders"]) for name in paths} == {
        "[{'name': 'Host', 'value': 'localhost'}]"
    }


def test_migration_runs_before_anything_else_of_the_release(rendered):
    job = list_resources(rendered["remote"], "Job")["demo-clew-migrate"]
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    assert get_container(job)["args"] == ["prepare"]
    secrets = list_resources(rendered["remote"], "Secret")
    assert get_container(job)["envFrom"] == [{"secretRef": {"name": "demo-clew-migrate"}}]
    assert secrets["demo-clew-migrate"]["metadata"]["annotations"]["helm.sh/hook-weight"] == "-1"
    assert secrets["demo-clew-migrate"]["stringData"] == secrets["demo-clew"]["stringData"] == SECRETS
    hooked = list_resources(rendered["shared"], "Job")["demo-clew-migrate"]
    assert get_container(hooked)["envFrom"] == [{"secretRef": {"name": "mine"}}]
    assert list_resources(rendered["shared"], "Secret") == {}


def test_settings_exist_and_those_of_a_role_come_first(rendered):
    deployments = list_resources(rendered["shared"], "Deployment")
    environments = {
        name: {each["name"]: each["value"] for each in get_container(deployment)["env"]}
        for name, deployment in deployments.items()
    }
    assert {name for environment in environments.values() for name in environment} - SETTINGS == set()
    assert environments["demo-clew-jobs"]["CLEW_IMPORT_MEMORY_GB"] == "7"
    assert environments["demo-clew-long"]["CLEW_IMPORT_MEMORY_GB"] == "3"
    assert environments["demo-clew-web"]["CLEW_HOSTS"] == "clew.example.org", "the name of the ingress"
    named = re.search(r"A Secret with (.*?)\.\n", (CHART / "values.yaml").read_text().replace("\n#", ""), re.DOTALL)
    assert named is not None
    assert set(re.findall(r"[A-Z_]{5,}", named[1])) - SETTINGS == set()


def test_pods_share_a_store(rendered):
    (claim,) = list_resources(rendered["shared"], "PersistentVolumeClaim").values()
    assert claim["spec"]["storageClassName"] == "nfs"
    for deployment in list_resources(rendered["shared"], "Deployment").values():
        volumes = {each["name"]: each for each in deployment["spec"]["template"]["spec"]["volumes"]}
        assert volumes["home"]["persistentVolumeClaim"] == {"claimName": claim["metadata"]["name"]}
    assert list_resources(rendered["remote"], "PersistentVolumeClaim") == {}


def test_notes_say_where_it_is(rendered):
    notes = {name: files["clew/templates/NOTES.txt"] for name, files in rendered.items()}
    assert "https://clew.example.org" in notes["shared"]
    assert "port-forward service/demo-clew 8000:80" in notes["remote"]
    assert "changepassword admin" in notes["remote"]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"settings": REMOTE["settings"]}, "secrets.DATABASE_URL is missing. Set it, or name a Secret"),
        ({"secrets": SECRETS}, "set settings.CLEW_STORAGE to s3://..., or storage.shared to true."),
        ({**REMOTE, "image": {"tag": "latest"}}, "at '/image/tag'"),
        ({**REMOTE, "web": {"replicas": "2"}}, "at '/web/replicas': got string, want integer"),
        ({**REMOTE, "replicas": 2}, "additional properties 'replicas' not allowed"),
        ({**REMOTE, "secrets": {**SECRETS, "CLEW_SECRET_KEY": "short"}}, "at '/secrets/CLEW_SECRET_KEY'"),
    ],
)
def test_wrong_values_are_refused(values, error):
    (files,) = render_chart(values)
    assert error in files["error"]
