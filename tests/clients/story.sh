#!/usr/bin/env bash
# The story protocol as `curl -N` sees it: story.sh <server>. Ends with status 0 when the streams are as the contract says.
set -euo pipefail
server=${1:?usage: story.sh <server>, such as story.sh http://127.0.0.1:8080}
chat="$server/api/v2/agent/chat"

deviates() { echo "$1" >&2; exit 1; }

body=$(mktemp) headers=$(mktemp)
trap 'rm -f "$body" "$headers"' EXIT
message='{"message":"头脑风暴扩写：灯塔的故事","sessionId":"curl","intentHint":"BRAINSTORM_AND_EXPAND"}'
curl -sSN --max-time 120 -D "$headers" -o "$body" -H 'content-type: application/json' -d "$message" "$chat"
grep -qi '^content-type: text/event-stream' "$headers" || deviates "no stream: $(cat "$headers")"
grep -qi '^x-session-id: curl' "$headers" || deviates "no session is named"
grep -q '^: keep-alive [0-9]*$' "$body" || deviates "nothing showed at once that the stream is there"
[ "$(grep '^event: ' "$body" | tail -n 1)" = 'event: done' ] || deviates "the last frame is not done"
grep '^data: ' "$body" | tail -n 1 | grep -q '"status":"paused"' || deviates "the chain does not wait"

# From the middle on: the same lines as before.
ids=$(sed -n 's/^id: //p' "$body")
middle=$(echo "$ids" | sed -n "$(($(echo "$ids" | wc -l) / 2))p")
missed=$(curl -sSN --max-time 120 -H "last-event-id: $middle" "$chat/curl" | grep '^data: ')
[ "$missed" = "$(grep '^data: ' "$body" | tail -n "$(echo "$missed" | wc -l)")" ] || deviates "after $middle came other frames than were missed"
status=$(curl -sS -o /dev/null -w '%{http_code}' -H "last-event-id: $(echo "$ids" | tail -n 1)" "$chat/curl")
[ "$status" = 204 ] || deviates "the end is answered with $status"

# The choice goes on with the chain.
curl -sSN --max-time 120 -o "$body" -H 'content-type: application/json' -d '{"message":"2","sessionId":"curl"}' "$chat"
grep -q '^event: chain_summary' "$body" || deviates "no summary of the chain"
grep '^data: ' "$body" | tail -n 1 | grep -q '"status":"completed"' || deviates "the chain does not end"
echo "as the contract says"
