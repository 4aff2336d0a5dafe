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
  }
}

/** A body with another model, upstream or flag; everything else as it was. */
export function changedBody(text: string, model: string, upstream: string, streamed: boolean): string {
  const body = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(
    { ...body, model: upstream === '' ? model : `${upstream}/${model}`, stream: streamed },
    null,
    2,
  )
}
