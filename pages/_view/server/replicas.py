"""The secret that signs cookies: hard to guess, and the same on all servers of one address."""

import os

REPLICAS = "SATTN_REPLICAS"  # the number of servers at one address, set by whoever starts them
SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"
SHORTEST = 16  # letters
_SUCH_AS = "a long random text, such as one that this prints:  python3 -c 'import secrets; print(secrets.token_hex())'"


def check_secret() -> None:
    """Exit with a message if the secret is short, or missing although there are several servers."""
    count, secret = os.environ.get(REPLICAS, "1"), os.environ.get(SECRET, "").strip()
    if count != "1" and not secret:
        raise SystemExit(f"{REPLICAS} is {count}, but {SECRET} is not set: give all replicas the same, {_SUCH_AS}")
    if secret and len(secret) < SHORTEST:
        letters = "1 letter" if len(secret) == 1 else f"{len(secret)} letters"
        raise SystemExit(f"{SECRET} has {letters}, but needs {SHORTEST} or more: give it {_SUCH_AS}")
