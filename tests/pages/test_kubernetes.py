"""The Kubernetes manifests: valid by the official schemas, without unknown names, and consistent."""

import os
import re
from pathlib import Path

import pytest

from pages._view.server import ending, health, log, metrics
from pages._view.server.replicas import SECRET

FOLDER = Path(__file__).resolve().parents[2] / ".deploy" / "kubernetes"
VERSION = "1.37"
NO_SCHEMAS = "no schemas of Kubernetes found; get them with 'pip install -r tests/requirements.txt'"


@pytest.fixture(scope="module")
def schemas():
    """Return the package with the schemas; skip the tests without it, but fail if CI=true."""
    try:
        import kubernetes_validate
    except ImportError:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true and {NO_SCHEMAS}")
        pytest.skip(NO_SCHEMAS)
    return kubernetes_validate


@pytest.fixture(scope="module")
def manifests(schemas):
    """Return the manifests by kind and name."""
    import yaml

    found = [each for path in sorted(FOLDER.glob("*.yaml")) for each in yaml.safe_load_all(path.read_text())]
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def test_every_manifest_is_valid(schemas, manifests):
    kinds = sorted(kind for kind, _ in manifests)
    assert kinds == ["Deployment", "Ingress", "Ingress", "PodDisruptionBudget", "Service"]
    for each in manifests.values():
        schemas.validate(each, VERSION, strict=True)


def test_validation_rejects_names_unknown_to_kubernetes(schemas, manifests):
    wrong = {**manifests["Service", "lab"], "specs": {}}
    with pytest.raises(schemas.ValidationError):
        schemas.validate(wrong, VERSION, strict=True)


def test_probes_request_the_health_addresses_of_the_server(manifests):
    (lab,) = manifests["Deployment", "lab"]["spec"]["template"]["spec"]["containers"]
    asked = {name: lab[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")}
    assert asked == {"startup": f"/{health.ALIVE}", "liveness": f"/{health.ALIVE}", "readiness": f"/{health.READY}"}
    assert health.PATIENCE < lab["readinessProbe"]["timeoutSeconds"]


def test_deployment_service_and_disruption_budget_agree(manifests):
    deployment = manifests["Deployment", "lab"]["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    assert deployment["selector"]["matchLabels"] == labels
    assert manifests["Service", "lab"]["spec"]["selector"] == labels
    budget = manifests["PodDisruptionBudget", "lab"]["spec"]
    assert budget["selector"]["matchLabels"] == labels
    assert budget["minAvailable"] < deployment["replicas"]
    (lab,) = deployment["template"]["spec"]["containers"]
    ports = {each["name"]: each["containerPort"] for each in lab["ports"]}
    (outside,) = manifests["Service", "lab"]["spec"]["ports"]
    assert outside["targetPort"] == "http"  # so the metrics are not reachable from outside
    said = {each["name"]: each.get("value") for each in lab["env"]}
    assert said["SATTN_REPLICAS"] == str(deployment["replicas"])
    assert said[metrics.PORT] == str(ports["metrics"])
    assert said[log.LOG] == "json"
    assert int(said[ending.GRACE]) < deployment["template"]["spec"]["terminationGracePeriodSeconds"]
    secret = {each["name"]: each["valueFrom"]["secretKeyRef"] for each in lab["env"] if "valueFrom" in each}
    assert set(secret) == {SECRET, "DATABASE_URL"}
    image = (FOLDER.parent / "Dockerfile").read_text()
    assert f"PORT={ports['http']}\n" in image
    assert f"USER {deployment['template']['spec']['securityContext']['runAsUser']}:" in image


def test_ingress_sets_the_cookie_on_the_same_paths_as_nginx(manifests):
    visitor, shared = (manifests["Ingress", name] for name in ("lab-of-a-visitor", "lab-of-all"))
    (rule,) = visitor["spec"]["rules"]
    (places,) = re.findall(r'"~/\(([\w|]+)\)\(/\|\$\)" visitor;', (FOLDER.parent / "nginx.conf").read_text())
    assert [each["path"] for each in rule["http"]["paths"]] == [f"/{place}" for place in places.split("|")]
    assert "annotations" not in shared["metadata"]
