"""What python-docx reads in the file named as an argument, as one JSON object."""

import json
import sys

from docx import Document

document = Document(sys.argv[1])


def indent(paragraph):
    own = paragraph.paragraph_format.first_line_indent
    length = own if own is not None else paragraph.style.paragraph_format.first_line_indent
    return length.pt if length is not None else None


paragraphs = [
    {
        "style": paragraph.style.name,
        "page_break": bool(paragraph.paragraph_format.page_break_before),
        "indent": indent(paragraph),
        "text": paragraph.text,
    }
    for paragraph in document.paragraphs
]
properties = document.core_properties
print(json.dumps({"title": properties.title, "author": properties.author, "paragraphs": paragraphs}))
