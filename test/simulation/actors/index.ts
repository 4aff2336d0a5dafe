/** All actors. A new one needs a module and a line here. */
import type { Actor } from '../contract.ts'
import { backgroundActor } from './background.ts'
import { chainActor } from './chain.ts'
import { compactorActor } from './compactor.ts'
import { conversationActor } from './conversation.ts'
import { eraserActor } from './eraser.ts'
import { exchangeActor } from './exchange.ts'
import { rereaderActor } from './rereader.ts'
import { socketActor } from './sockets.ts'
import { heldIdsActor, strangerActor } from './stranger.ts'
import { threadActor } from './threads.ts'

export const actors: readonly Actor[] = [
  exchangeActor,
  chainActor,
  conversationActor,
  compactorActor,
  backgroundActor,
  rereaderActor,
  eraserActor,
  strangerActor,
  heldIdsActor,
  socketActor,
  threadActor,
]
