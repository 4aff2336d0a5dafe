/**
 * How one item grows in a stream of the Open Responses contract: the order of its events, and that the final item equals
 * the sum of its deltas.
 */
type Data = Record<string, unknown>
type Fault = (text: string) => void

export interface OpenItem {
  take(type: string, event: Data): void
  isDone(): boolean
  /** The latest state. */
  item(): Data
}

export function openItem(begun: Data, fault: Fault): OpenItem {
  let item = begun
  let done = false
  const growth = growthOf(begun, fault)
  if (begun.status !== 'in_progress') fault(`${begun.type} begins as ${begun.status}`)
  return {
    isDone: () => done,
    item: () => item,
    take(type, event) {
      if (done) return fault(`${type} after the end of its item`)
      if (type !== 'response.output_item.done') {
        if (event.item_id !== begun.id) fault(`${type} names ${event.item_id}, not ${begun.id}`)
        return growth.take(type, event)
      }
      done = true
      item = event.item as Data
      for (const key of ['id', 'type', 'call_id', 'name'] as const) {
        if (item[key] !== begun[key]) fault(`${key} of an item changed to ${item[key]}`)
      }
      growth.end(item)
    },
  }
}

interface Growth {
  take(type: string, event: Data): void
  end(item: Data): void
}

function growthOf(begun: Data, fault: Fault): Growth {
  switch (begun.type) {
    case 'message':
      return parts({ list: 'content', index: 'content_index', part: 'response.content_part' }, begun, fault)
    case 'reasoning':
      return parts(
        { list: 'summary', index: 'summary_index', part: 'response.reasoning_summary_part' },
        begun,
        fault,
      )
    case 'function_call':
      return argumentsOf('response.function_call_arguments', begun, fault)
    case 'mcp_call':
      return progress(
        argumentsOf('response.mcp_call_arguments', begun, fault),
        'mcp_call',
        ['in_progress'],
        fault,
      )
    case 'web_search_call':
      return progress(undefined, 'web_search_call', ['in_progress', 'searching'], fault)
    default:
      return { take: type => fault(`${type} for ${begun.type}`), end: () => {} }
  }
}

/** `.delta`* then `.done` with the complete text. */
function argumentsOf(event: string, begun: Data, fault: Fault): Growth {
  let text = ''
  let done = false
  if (begun.arguments !== '') fault(`begins with arguments ${begun.arguments}`)
  return {
    take(type, { delta: more, arguments: whole }) {
      if (done) fault(`${type} after the arguments were done`)
      if (type === `${event}.delta`) text += more
      else if (type === `${event}.done`) done = true
      else fault(`${type} inside ${begun.type}`)
      if (done && whole !== text) fault(`arguments ${text} are done as ${whole}`)
    },
    end(item) {
      if (done === (item.status === 'incomplete'))
        fault(done ? 'half arguments are done' : 'arguments are never done')
      if (item.arguments !== text) fault(`arguments ${text} end as ${item.arguments}`)
    },
  }
}

interface PartNames {
  readonly list: 'content' | 'summary'
  readonly index: string
  readonly part: string
}

const textKeys: Readonly<Record<string, string>> = {
  output_text: 'text',
  summary_text: 'text',
  refusal: 'refusal',
}
const textEvents: Readonly<Record<string, string>> = {
  output_text: 'response.output_text',
  summary_text: 'response.reasoning_summary_text',
  refusal: 'response.refusal',
}

/** Parts one after another, each: added, deltas, annotations, done, part done. */
function parts({ list, index, part: name }: PartNames, begun: Data, fault: Fault): Growth {
  const finished: Data[] = []
  let open: { readonly type: string; text: string; annotations: number; done: boolean } | undefined
  if (!Array.isArray(begun[list]) || begun[list].length > 0) fault(`begins with ${list}`)
  const inside = (type: string, event: Data, current: NonNullable<typeof open>): void => {
    const prefix = textEvents[current.type]
    if (current.done) fault(`${type} after the text was done`)
    if (type === `${prefix}.delta`) current.text += event.delta
    else if (type === `${prefix}.annotation.added`) {
      if (event.annotation_index !== current.annotations++) fault('annotations are not in order')
    } else if (type === `${prefix}.done`) {
      current.done = true
      const whole = event[textKeys[current.type] ?? '']
      if (whole !== current.text) fault(`${current.text} is done as ${whole}`)
    } else fault(`${type} inside ${current.type}`)
  }
  return {
    take(type, event) {
      if (event[index] !== finished.length) fault(`${type} for part ${event[index]}, not ${finished.length}`)
      const part = (event.part ?? {}) as Data
      if (type === `${name}.added`) {
        if (open !== undefined) fault('a part begins inside another')
        open = { type: String(part.type), text: '', annotations: 0, done: false }
        if (part[textKeys[open.type] ?? ''] !== '') fault('a part begins with text')
      } else if (open === undefined) fault(`${type} outside of a part`)
      else if (type === `${name}.done`) {
        if (!open.done) fault('a part ends before its text is done')
        if (part[textKeys[open.type] ?? ''] !== open.text) fault(`${open.text} ends as another text`)
        finished.push(part)
        open = undefined
      } else inside(type, event, open)
    },
    end(item) {
      if (open !== undefined) fault('an item ends inside a part')
      if (JSON.stringify(item[list]) !== JSON.stringify(finished))
        fault(`the ${list} is not the sum of its parts`)
    },
  }
}

/** The states of a call before and after its arguments. */
function progress(inner: Growth | undefined, name: string, begin: readonly string[], fault: Fault): Growth {
  const states: string[] = []
  return {
    take(type, event) {
      const state = type.startsWith(`response.${name}.`) ? type.slice(`response.${name}.`.length) : undefined
      if (state !== undefined) states.push(state)
      else if (inner === undefined || states.length < begin.length) fault(`${type} inside ${name}`)
      else inner.take(type, event)
    },
    end(item) {
      inner?.end(item)
      const [ends, ...others] = states.slice(begin.length)
      const began = states.slice(0, begin.length).join()
      if (began !== begin.join()) fault(`${name} went through ${began}`)
      const silent = name === 'web_search_call' && item.status !== 'completed'
      if (others.length > 0 || (!silent && ends !== item.status))
        fault(`${name} ends as ${item.status}, not ${ends}`)
    },
  }
}
