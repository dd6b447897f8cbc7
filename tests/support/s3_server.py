"""An S3 server on the loopback interface, which can be made to check keys and signatures."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import requests


@contextmanager
def run_s3_server() -> Iterator[str]:
    """Moto's server; its address."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


def connect(address: str, service: str = "s3") -> Any:
    """A resource of a service that the server offers."""
    import boto3

    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    return boto3.resource(service, endpoint_url=address, **keys)


@contextmanager
def check_signatures(address: str) -> Iterator[tuple[str, str]]:
    """Let the server refuse requests without the keys of a user; that user's access key and secret key."""
    user = connect(address, "iam").create_user(UserName="reader")
    keys = user.create_access_key_pair()
    policy = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'
    user.create_policy(PolicyName="all", PolicyDocument=policy)
    requests.post(f"{address}/moto-api/reset-auth", data=b"0", timeout=10).raise_for_status()
    try:
        yield keys.access_key_id, keys.secret_access_key
    finally:
        requests.post(f"{address}/moto-api/reset-auth", data=b"inf", timeout=10).raise_for_status()
