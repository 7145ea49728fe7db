"""QR codes."""

import segno

_BORDER = 4  # the quiet zone: light cells that readers need around a code


def code_of(link: str) -> str:
    """Return the QR code of a link as SVG, dark on white in any theme; "" if the link is too long for one."""
    try:
        return str(
            segno.make_qr(link, error="l", boost_error=True).svg_inline(border=_BORDER, light="#fff", omitsize=True)
        )
    except segno.DataOverflowError:
        return ""
