/** Residue of Chat. */
import { WireResidue } from '../kit/residue.ts'

export const chatResidue: WireResidue = new WireResidue('chat')
