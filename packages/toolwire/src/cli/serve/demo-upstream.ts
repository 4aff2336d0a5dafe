/** The embedded demo model as an upstream like any other, but for the network. */
import type { Upstream } from '../../gateway/settings.ts'

export const demoName = 'demo'

export async function demoUpstream(): Promise<Upstream> {
  const { createDemoModel } = await import('../../demo/demo-model.ts')
  const { transport, models } = createDemoModel()
  return {
    name: demoName,
    wire: 'chat',
    // Reached by its transport; the name is one that no network resolves.
    baseUrl: 'http://demo.invalid/v1',
    // Clients bring names of models of their own, and the demo answers to any.
    models: [...models, '*'],
    transport,
  }
}
