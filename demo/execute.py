"""One task for the language server beside this: `podman exec --interactive langserver python3 - < demo/execute.py`."""

import json

import grpc

from langserver.pb import lang_pb2, lang_pb2_grpc

CODE = """
def main(name, numbers):
    print("adding", len(numbers), "numbers")
    return {"greeting": f"Hello, {name}", "sum": sum(numbers)}
"""

with grpc.insecure_channel("127.0.0.1:50053") as channel:
    response = lang_pb2_grpc.LanguageServerStub(channel).Execute(
        lang_pb2.ExecuteRequest(
            runtime="python",
            inline_code=lang_pb2.InlineCode(code=CODE),
            input_json=json.dumps({"name": "Ada", "numbers": [20, 22]}),
            timeout_seconds=5,
        ),
        timeout=10,
    )
print(response.output_json if response.success else response.error)
