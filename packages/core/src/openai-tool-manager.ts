/** `ToolManager` on the platform's clock and timers. */
import type { ManagerPlatform } from './openai/tool-manager.ts'
import { ToolManagerWith } from './openai/tool-manager.ts'
import type { ResultForm, ToolManagerOptions } from './openai/tool-manager-types.ts'
import { host as platformHost, secondsNow } from './platform.ts'

/** Tool definitions, calls and results of one or more conversations with a model on Responses. */
export class ToolManager<Form extends ResultForm = 'function_call_output'> extends ToolManagerWith<Form> {
  constructor(options: ToolManagerOptions<Form> & Partial<ManagerPlatform> = {}) {
    const { host = platformHost, now = () => secondsNow() * 1000 } = options ?? {}
    super({ host, now }, options)
  }
}
