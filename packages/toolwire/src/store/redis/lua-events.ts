/**
 * Scripts for the events of streamed background responses: a stream (`e:` and the reference) with one entry for each
 * append, whose id is the number of its first event and one. They follow `lua-records.ts`.
 */
import type { EventProcedure } from '../shared/procedures.ts'
import { responseScripts } from './lua-responses.ts'

const append = `
local function append(token, owner, id)
local first, count, isLast, text = number(), number(), arg(), arg()
local most, seconds, name = number(), arg(), arg()
local ref = refOf(owner, 'response', id)
local key, log = P .. 'r:' .. ref, P .. 'e:' .. ref
local head = call('HMGET', key, 'taken', 'writer', 'eventsBy', 'eventsNext', 'eventsLast')
-- A response may end before its first events are written; nobody is noted as its writer then.
local writer = head[2] and head[2] ~= '' and head[2] or token
local isOurs = head[3] == token or not head[3] and writer == token
if head[1] or not isOurs or call('EXISTS', key) == 0 then return { { 'lease_lost' } } end
-- An append whose answer was lost is sent again, with what came after it. Each event ends with an empty line.
local next, known = first + count, tonumber(head[4] or '0') - first
if head[5] == '1' or known > count or known > 0 and known == count and isLast ~= '1' then return { { 'ok' } } end
if known > 0 then
  local from = 1
  for _ = 1, known do from = (select(2, string.find(text, '\\n\\n', from, true)) or #text) + 1 end
  first, text = first + known, string.sub(text, from)
end
call('HSET', key, 'eventsBy', token, 'eventsNext', whole(next), 'eventsLast', isLast)
if text ~= '' then
  call('XADD', log, whole(first + 1) .. '-0', 'text', text)
  local bytes = call('HINCRBY', key, 'eventsBytes', #text)
  while bytes > most and call('XLEN', log) > 1 do
    local oldest = call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
    call('XDEL', log, oldest[1])
    bytes = call('HINCRBY', key, 'eventsBytes', -#oldest[2][2])
  end
end
call('EXPIRE', log, seconds)
call('PUBLISH', P .. 'wake', name)
return { { 'ok' } }
end`

export const eventScripts: Readonly<Record<EventProcedure, string>> = {
  append_events: `${append}
local token, owner, id = arg(), arg(), arg()
return append(token, owner, id)`,

  // What the save is given comes first.
  save_with_events: `${append}
local function save()
${responseScripts.save_response}
end
local saved = save()
if saved[1][1] == 'ok' then append(ARGV[5], ARGV[6], ARGV[7]) end
return saved`,

  read_events: `
local now, owner, id, from, limit = number(), arg(), arg(), number(), number()
local ref = refOf(owner, 'response', id)
local head = find(ref, now, 'eventsNext', 'eventsLast')
if not head or not head[2] then return {} end
local rows, log = { { head[2], head[3] } }, P .. 'e:' .. ref
local start = call('XREVRANGE', log, whole(from + 1) .. '-0', '-', 'COUNT', 1)[1]
if not start then return rows end
local bytes = 0
for _, entry in ipairs(call('XRANGE', log, start[1], '+', 'COUNT', 200)) do
  if bytes >= limit then break end
  bytes = bytes + #entry[2][2]
  rows[#rows + 1] = { whole(tonumber(string.match(entry[1], '^%d+')) - 1), entry[2][2] }
end
return rows`,

  // Each key has its own time of expiry.
  trim_events: 'return {}',
}
