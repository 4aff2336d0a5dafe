/** Residue of Responses, and what its encoders share. */
import type { Report } from '../../model/diagnostic.ts'
import type { AnswerContext } from '../define-wire.ts'
import { WireResidue } from '../kit/residue.ts'

export const responsesResidue: WireResidue = new WireResidue('responses')

export interface EncodeContext {
  readonly report: Report
  /** Set for answers, whose items need new ids. */
  readonly answer?: AnswerContext
}
