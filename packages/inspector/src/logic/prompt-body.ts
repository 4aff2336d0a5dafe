/** The smallest body of a request on each wire, for the prompt box. */

export interface Prompt {
  readonly path: string
  readonly model: string
  readonly text: string
  readonly system: string
  readonly streamed: boolean
}

export function promptBody({ path, model, text, system, streamed }: Prompt): object {
  if (path.endsWith('/responses')) {
    return { model, ...(system !== '' && { instructions: system }), input: text, stream: streamed }
  }
  const said = [{ role: 'user', content: text }]
  if (path.endsWith('/messages')) {
    return { model, max_tokens: 1024, ...(system !== '' && { system }), messages: said, stream: streamed }
  }
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...said],
    stream: streamed,
    ...(streamed && isChat(path) && { stream_options: withUsage }),
  }
}

/** Streams of Chat tell how many tokens they took only when they are asked to. */
const withUsage = { include_usage: true }

const isChat = (path: string): boolean => path.endsWith('/chat/completions')

export interface Target {
  readonly path: string
  readonly model: string
  readonly upstream: string
  readonly streamed: boolean
}

/** A body with another model, upstream or flag; everything else as it was. Only a stream may have options of one. */
export function changedBody(text: string, { path, model, upstream, streamed }: Target): string {
  return inLines(text, ({ stream_options: given, ...body }) => {
    const options = given ?? (isChat(path) && body.stream !== true ? withUsage : undefined)
    return {
      ...body,
      model: upstream === '' ? model : `${upstream}/${model}`,
      stream: streamed,
      ...(streamed && { stream_options: options }),
    }
  })
}

const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const mark = '\ue000number '
const marked = new RegExp(`"${mark}([\\d.eE+-]+)"`, 'g')

/** JSON by lines, with every number as it was written: parsed, a long one would be another. */
export function inLines(
  text: string,
  change: (body: Record<string, unknown>) => object = body => body,
): string {
  const kept = text.replace(textOrNumber, token =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`,
  )
  return JSON.stringify(change(JSON.parse(kept)), null, 2).replace(marked, '$1')
}
