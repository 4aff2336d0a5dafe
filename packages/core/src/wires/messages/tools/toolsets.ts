/**
 * Toolsets: one entry of the list that declares many tools, which the client runs. Their members, with the types of their
 * inputs, are those of the provider's client library, as of November 2026.
 */
import type { JsonObject } from '../../../json/object.ts'
import { append } from '../../../json/object.ts'
import type { Path } from '../../../model/diagnostic.ts'
import type { Toolset, ToolsetMember } from '../../../model/tool.ts'
import { FieldReader } from '../../kit/field-reader.ts'

const text = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const texts = { type: 'array', items: text }
const point = { type: 'array', items: integer, minItems: 2, maxItems: 2 }
const region = { type: 'array', items: integer, minItems: 4, maxItems: 4 }
const direction = { type: 'string', enum: ['up', 'down', 'left', 'right'] }

function target(type: string, fields: JsonObject): JsonObject {
  const properties = { type: { type: 'string', enum: [type] }, ...fields }
  return { type: 'object', properties, required: Object.keys(properties) }
}

const place = target('coordinate', { x: integer, y: integer })
const element = target('ref', { ref: text })
const placeOrElement = { anyOf: [place, element] }

interface Member {
  readonly about: string
  readonly required?: JsonObject
  readonly optional?: JsonObject
  /** It is offered only if the client says so. */
  readonly isOff?: boolean
  /** It takes nothing of what the others take. */
  readonly isGlobal?: boolean
}

type Members = { readonly [name: string]: Member }

const click = (about: string): Member => ({
  about,
  required: { target: placeOrElement },
  optional: { modifiers: text },
})

const browser: Members = {
  navigate: { about: 'Open an address, or go "back", "forward" or "reload".', required: { url: text } },
  list_tabs: { about: 'List the open tabs.', isGlobal: true },
  new_tab: { about: 'Open a tab.', isGlobal: true },
  switch_tab: { about: 'Make a tab the active one.', required: { tab_id: text } },
  close_tab: { about: 'Close a tab.', required: { tab_id: text } },
  read_page: {
    about: 'Read the elements of the page, with references to them.',
    optional: { depth: integer, filter: { type: 'string', enum: ['all', 'interactive'] }, ref: text },
  },
  get_page_text: { about: 'Read the text of the page.' },
  read_console: { about: 'Read the messages of the console.', isOff: true },
  read_network: { about: 'Read the requests of the page.', isOff: true },
  find: { about: 'Find elements of the page by a description.', required: { query: text } },
  form_input: {
    about: 'Set the value of a form element.',
    required: { target: element, value: { type: ['string', 'number', 'boolean'] } },
  },
  file_upload: {
    about: 'Put files into a form element.',
    required: { target: element },
    optional: { document_ids: texts, paths: texts },
    isOff: true,
  },
  scroll_to: { about: 'Scroll an element into view.', required: { target: element } },
  screenshot: { about: 'Take a screenshot.' },
  zoom: { about: 'Take a screenshot of a region, enlarged.', required: { region } },
  left_click: click('Click.'),
  right_click: click('Click with the right button.'),
  middle_click: click('Click with the middle button.'),
  double_click: click('Click twice.'),
  triple_click: click('Click three times.'),
  hover: { about: 'Move the pointer onto something.', required: { target: placeOrElement } },
  left_click_drag: { about: 'Drag from one place to another.', required: { from: place, target: place } },
  left_mouse_down: { about: 'Press the left button.', required: { target: place } },
  left_mouse_up: { about: 'Release the left button.', required: { target: place } },
  mouse_move: { about: 'Move the pointer.', required: { target: place } },
  scroll: {
    about: 'Scroll at a place.',
    required: { scroll_direction: direction, target: place },
    optional: { scroll_amount: integer },
  },
  type: { about: 'Type text.', required: { text } },
  key: { about: 'Press a key or a combination of keys.', required: { text }, optional: { repeat: integer } },
  hold_key: { about: 'Hold a key down for some seconds.', required: { duration: number, text } },
  wait: { about: 'Wait for some seconds.', required: { duration: number } },
  javascript_exec: { about: 'Run JavaScript in the page.', required: { text }, isOff: true },
}

const pointed = (about: string): Member => ({ about, optional: { coordinate: point, text } })

const computer: Members = {
  key: { about: 'Press a key or a combination of keys.', required: { text }, optional: { repeat: integer } },
  hold_key: { about: 'Hold a key down for some seconds.', required: { duration: number, text } },
  type: { about: 'Type text.', required: { text } },
  cursor_position: { about: 'Tell where the pointer is.' },
  mouse_move: { about: 'Move the pointer.', required: { coordinate: point } },
  left_mouse_down: { about: 'Press the left button.' },
  left_mouse_up: { about: 'Release the left button.' },
  left_click: pointed('Click.'),
  left_click_drag: {
    about: 'Drag from one place to another.',
    required: { coordinate: point, start_coordinate: point },
    optional: { text },
  },
  right_click: pointed('Click with the right button.'),
  middle_click: pointed('Click with the middle button.'),
  double_click: pointed('Click twice.'),
  triple_click: pointed('Click three times.'),
  scroll: {
    about: 'Scroll.',
    required: { scroll_amount: integer, scroll_direction: direction },
    optional: { coordinate: point, text },
  },
  wait: { about: 'Wait for some seconds.', required: { duration: number } },
  screenshot: { about: 'Take a screenshot.' },
  zoom: { about: 'Take a screenshot of a region, enlarged.', required: { region } },
}

interface Kind {
  /** What calls name the toolset. */
  readonly name: string
  readonly about: string
  readonly members: Members
  /** What every member takes besides. */
  readonly shared: JsonObject
}

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    'browser_toolset',
    { name: 'browser', about: 'A web browser.', members: browser, shared: { tab_id: text } },
  ],
  [
    'computer_toolset',
    { name: 'computer', about: 'The desktop of a computer.', members: computer, shared: {} },
  ],
])

/** The names by which calls and results name their toolset. */
export const toolsetNames: ReadonlySet<unknown> = new Set([...kinds.values()].map(({ name }) => name))

/** The tools that an entry of this family declares. */
export function decodeToolset(family: string, tool: JsonObject, path: Path): Toolset | undefined {
  const kind = kinds.get(family)
  if (kind === undefined) return undefined
  const fields = new FieldReader(tool)
  fields.ignore('type')
  const configs = new FieldReader(fields.object('configs') ?? {})
  const entries = fields.unread()
  const members = Object.entries(kind.members).flatMap(([name, member]) => {
    const config = new FieldReader(configs.object(name) ?? {})
    const read = memberOf(name, member, kind, config)
    append(entries, config.unread(['configs', name]))
    return read
  })
  append(entries, configs.unread(['configs']))
  return {
    name: kind.name,
    description: kind.about,
    members,
    residue: { wire: null, at: path, entries },
  }
}

function memberOf(name: string, member: Member, { shared }: Kind, config: FieldReader): ToolsetMember[] {
  const { about: description, required = {}, optional = {}, isOff = false, isGlobal = false } = member
  const deferLoading = config.boolean('defer_loading') === true
  const isOn = config.boolean('enabled') ?? !isOff
  if (!isOn) return []
  const properties = { ...(!isGlobal && shared), ...optional, ...required }
  const parameters = { type: 'object', properties, required: Object.keys(required) }
  return [{ name, description, parameters, ...(deferLoading && { deferLoading }) }]
}
