/** The inspector of a gateway that `serve` or a launcher runs: whether there is one, and where its files are. */
import { readFileSync } from 'node:fs'
import type { Settings } from '../../config/config.ts'
import { isLoopback } from '../../config/machine.ts'
import { maskConfig } from '../../config/mask-config.ts'
import type { InspectorOptions } from '../../gateway/inspector/inspector.ts'
import type { McpServers } from '../../mcp/connect-servers.ts'
import { type Peers, shareSessions } from '../cluster/peers.ts'

/** None where it is not wanted, where there is nothing to show, or where any machine could look without a key. */
export function hasInspector({ inspector, trace, host, keys }: Settings): boolean {
  return inspector && trace !== false && (isLoopback(host) || keys.length > 0)
}

/** `current`: the settings in force, which may change. The address and the traces stay as they were at the start. */
export function inspectorFor(
  current: () => Settings,
  mcp: McpServers | undefined,
  peers?: Peers,
): { inspector: InspectorOptions } {
  const { host, trace } = current()
  return {
    inspector: {
      readFile,
      isOpen: () => hasInspector({ ...current(), host, trace }),
      ...(peers !== undefined && { shareSessions: shareSessions(peers) }),
      about: () => ({
        config: maskConfig(current().config),
        mcp_servers: Object.keys(current().mcpServers).map(name => ({
          name,
          tools: (mcp?.tools ?? []).filter(({ server }) => server === name).length,
          problems: (mcp?.problems ?? [])
            .filter(({ server }) => server === name)
            .map(({ message }) => message),
        })),
      }),
    },
  }
}

/** The build puts the page beside the code; the sources are as far from it. */
const folders = ['../inspector/', '../../../dist/inspector/']

function readFile(name: string): Uint8Array | undefined {
  for (const folder of folders) {
    try {
      return readFileSync(new URL(folder + name, import.meta.url))
    } catch {
      // Looked for elsewhere; without a build there is no page.
    }
  }
  return undefined
}
