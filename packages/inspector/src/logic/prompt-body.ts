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
  const { stream_options: given, ...body } = JSON.parse(text) as Record<string, unknown>
  const options = given ?? (isChat(path) && body.stream !== true ? withUsage : undefined)
  return JSON.stringify(
    {
      ...body,
      model: upstream === '' ? model : `${upstream}/${model}`,
      stream: streamed,
      ...(streamed && { stream_options: options }),
    },
    null,
    2,
  )
}
