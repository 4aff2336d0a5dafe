/** Residue of Messages, and what its encoders share. */
import type { Report } from '../../model/diagnostic.ts'
import type { CacheMark } from '../define-wire.ts'
import { WireResidue } from '../kit/residue.ts'

export const messagesResidue: WireResidue = new WireResidue('messages')

export const messagesCacheMark: CacheMark = {
  key: 'cache_control',
  mark: { type: 'ephemeral' },
  lifetimes: { short: '5m', long: '1h' },
  assistant: true,
  longFirst: true,
}

export interface EncodeContext {
  readonly report: Report
  /** The request or answer came from this wire: it is written back unchanged, with nothing added or left out. */
  readonly own: boolean
  /** Set for answers, whose blocks hold more than those of a history. */
  readonly answer?: { newId(prefix: string): string; readonly refused: boolean; readonly cut: boolean }
}
