"""Serves a capability to an operator of Treadle: the protocol of hashicorp/go-plugin, with grpcio.

Not for Windows, where the protocol needs TCP.
"""

import base64
import datetime
import json
import logging
import os
import pathlib
import sys
import tempfile
import threading
from concurrent import futures

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from treadle.capability import v1_pb2_grpc

COOKIE = ("TREADLE_PLUGIN", "treadle.dev/capability")
TRACE = 5
LEVELS = {TRACE: "trace", logging.DEBUG: "debug", logging.INFO: "info", logging.WARNING: "warn", logging.ERROR: "error"}


def serve(servicer):
    """Answers the operator that started the program, until the operator ends it. Started by hand it explains itself and ends."""
    if os.environ.get(COOKIE[0]) != COOKIE[1]:
        sys.exit("This program is a plugin. Put it into the plugin folder of an operator, which starts it.")
    if "1" not in os.environ.get("PLUGIN_PROTOCOL_VERSIONS", "1").split(","):
        sys.exit("The operator speaks another version of the plugin protocol than 1.")
    log_to_operator()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
    ended = threading.Event()
    v1_pb2_grpc.add_CapabilityServicer_to_server(servicer, server)
    add_health(server)
    add_controller(server, ended)
    with tempfile.TemporaryDirectory(prefix="plugin-", dir=os.environ.get("PLUGIN_UNIX_SOCKET_DIR")) as folder:
        path = pathlib.Path(folder) / "plugin.sock"
        certificate = add_port(server, f"unix:{path}")
        server.start()
        print(f"1|1|unix|{path}|grpc|{certificate}", flush=True)
        ended.wait()
        server.stop(grace=1).wait()


def add_port(server, address):
    """Opens the port. Returns the certificate as the operator reads it, or an empty text without TLS."""
    client = os.environ.get("PLUGIN_CLIENT_CERT", "")
    if client == "":
        server.add_insecure_port(address)
        return ""
    key, certificate = new_certificate()
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    # Only the operator that started the program has the key of `client`.
    credentials = grpc.ssl_server_credentials([(private, pem)], client.encode(), require_client_auth=True)
    server.add_secure_port(address, credentials)
    return base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode().rstrip("=")


def new_certificate():
    """Makes a key and a certificate of its own, as the operator expects it: for `localhost`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, key_encipherment=False, content_commitment=False,
        data_encipherment=False, key_agreement=False, crl_sign=False, encipher_only=False, decipher_only=False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=1))
        .not_valid_after(now + datetime.timedelta(days=3650))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return key, certificate


def add_health(server):
    """Answers the health checks of the operator. go-plugin calls the service `plugin`."""
    servicer = health.HealthServicer()
    for service in ("", "plugin"):
        servicer.set(service, health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)


def add_controller(server, ended):
    """Ends the program when the operator asks for it. Request and answer are empty messages, so they need no generated code."""

    def shutdown(_request, _context):
        ended.set()
        return b""

    methods = {"Shutdown": grpc.unary_unary_rpc_method_handler(shutdown)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("plugin.GRPCController", methods)])


def log_to_operator():
    """Writes what is logged to stderr, as lines that the operator logs by their level."""
    logging.addLevelName(TRACE, "TRACE")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=TRACE, handlers=[handler])


class LineFormatter(logging.Formatter):
    """A line of JSON in the form of hclog."""

    def format(self, record):
        line = {
            "@level": LEVELS.get(record.levelno, "info"),
            "@message": record.getMessage(),
            "@module": record.name,
            "@timestamp": datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc).isoformat(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)
