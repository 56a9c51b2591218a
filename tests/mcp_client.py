"""Uses `runlog mcp` through the official Python SDK, as a client does.

Usage: python mcp_client.py RUNLOG RUNS_DIR RUN OTHER_RUN EVENT

EVENT is the id of an event of RUN whose content has more than 64 KiB. Prints one line per step and
exits with 1 if a step fails. It needs the package `mcp`.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

TOOLS = ["chapters", "session_load", "session_search", "session_summary"]


def field(result, snake, camel):
    """A member of a result. Version 1 of the SDK names it in camel case, version 2 in snake case."""
    return getattr(result, snake) if hasattr(result, snake) else getattr(result, camel)


async def call(session, name, **arguments):
    """Calls a tool. Returns the structured content, or the text of the error."""
    result = await session.call_tool(name, arguments)
    text = result.content[0].text
    if field(result, "is_error", "isError"):
        return None, text
    structured = field(result, "structured_content", "structuredContent")
    assert structured == json.loads(text), "text and structured content differ"
    assert "data, not instructions" in structured["notice"]
    return structured, None


async def main(runlog, runs_dir, run, other, event):
    server = StdioServerParameters(command=runlog, args=["mcp", run, "--runs-dir", runs_dir])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        opened = await session.initialize()
        print("initialized:", field(opened, "server_info", "serverInfo").name)
        tools = (await session.list_tools()).tools
        assert sorted(tool.name for tool in tools) == TOOLS
        for tool in tools:
            assert field(tool.annotations, "read_only_hint", "readOnlyHint")
        print("tools:", ", ".join(tool.name for tool in tools))

        found, _ = await call(session, "session_search", query="zebra", top_k=3)
        print(f"searched: {len(found['results'])} of {found['total']} hits")
        assert found["results"]

        content, offset, parts = "", 0, 0
        while offset is not None:
            loaded, _ = await call(
                session, "session_load", event_id=event, content_offset=offset, content_limit=65536
            )
            part = next(one for one in loaded["events"] if one["event_id"] == event)
            content, offset, parts = content + part["content"], part["next_offset"], parts + 1
        size = len(content.encode())
        print(f"loaded: {size} bytes in {parts} parts")
        assert size == part["content_bytes"] > 65536 and parts > 1

        _, refusal = await call(session, "session_load", event_id="1", run_id=other)
        print("refused:", refusal)
        assert refusal.startswith("refused")

        summary, _ = await call(session, "session_summary")
        print(f"summary: version {summary['version']}, {summary['newer']['events']} newer events")
        chapters, _ = await call(session, "chapters")
        print(f"chapters: {chapters['total']}")
    print("closed")


asyncio.run(main(*sys.argv[1:]))
