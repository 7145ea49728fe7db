"""Several servers behind one address: each must sign cookies with the same secret."""

import os

REPLICAS = "SATTN_REPLICAS"  # how many serve one address; whoever starts several says so
SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"


def check_secret() -> None:
    """End the server with a sentence if it is one of several and has no secret in common with them."""
    count = os.environ.get(REPLICAS, "1")
    if count != "1" and not os.environ.get(SECRET, "").strip():
        raise SystemExit(
            f"{REPLICAS} is {count}, but {SECRET} is not set: give all replicas the same long random text, "
            "such as one that this prints:  python3 -c 'import secrets; print(secrets.token_hex())'"
        )
