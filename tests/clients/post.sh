#!/usr/bin/env bash
# The post protocol as `curl -N` sees it: post.sh <server>. Ends with status 0 when the streams are as the contract says.
set -euo pipefail
server=${1:?usage: post.sh <server>, such as post.sh http://127.0.0.1:8080}
message='{"message":"请为年轻家庭写一篇周末春游野餐的种草笔记，目标是提升收藏，风格轻松，直接生成","fastMode":true}'

deviates() { echo "$1" >&2; exit 1; }

body=$(mktemp) headers=$(mktemp)
trap 'rm -f "$body" "$headers"' EXIT
curl -sSN --max-time 120 -D "$headers" -o "$body" -H 'content-type: application/json' -d "$message" "$server/api/agent/stream"
grep -qi '^content-type: text/event-stream' "$headers" || deviates "no stream: $(cat "$headers")"
thread=$(sed -n 's/^x-thread-id: *\([^[:space:]]*\).*/\1/Ip' "$headers")
[ -n "$thread" ] || deviates "no thread is named"
grep -q '^: keep-alive [0-9]*$' "$body" || deviates "nothing showed at once that the stream is there"
[ "$(grep '^data: ' "$body" | tail -n 1)" = 'data: [DONE]' ] || deviates "the last line is not [DONE]"
grep '^data: ' "$body" | tail -n 2 | head -n 1 | grep -q '"type":"workflow_complete"' || deviates "the last frame is no end"

# From the middle on: the same lines as before.
cursors=$(sed -n 's/^id: //p' "$body")
middle=$(echo "$cursors" | sed -n "$(($(echo "$cursors" | wc -l) / 2))p")
expected=$(echo "$cursors" | sed "1,/^$middle\$/d")
missed=$(curl -sSN --max-time 120 -H "last-event-id: $middle" "$server/api/agent/stream/$thread" | sed -n 's/^id: //p')
[ "$missed" = "$expected" ] || deviates "after $middle came other frames than were missed"
status=$(curl -sS -o /dev/null -w '%{http_code}' -H "last-event-id: $(echo "$cursors" | tail -n 1)" "$server/api/agent/stream/$thread")
[ "$status" = 204 ] || deviates "the end is answered with $status"
echo "as the contract says"
