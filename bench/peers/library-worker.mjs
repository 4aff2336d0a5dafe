/** The libraries' part of the peers, in a process of its own. */
import { compareLibrary, libraryPeers } from './library-peers.mjs'
import { install } from './peer.mjs'

const isQuick = process.argv.includes('--quick')
const plan = isQuick ? { rounds: 3, roundMs: 30, warmMs: 100 } : { rounds: 5, roundMs: 80, warmMs: 400 }
const rows = []
const absent = []
for (const peer of libraryPeers) {
  try {
    rows.push(...(await compareLibrary(peer, install(peer), plan)))
    process.send?.({ progress: `library ${peer.name} compared` })
  } catch (error) {
    absent.push({ peer: peer.name, reason: error instanceof Error ? error.message : String(error) })
  }
}
process.send?.({ result: { rows, absent } })
process.disconnect?.()
