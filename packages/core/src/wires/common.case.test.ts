/** The cases that every wire passes, over the built-in ones. */
import { chatSamples } from './chat/cases.test-helper.ts'
import { describeWire } from './common.cases.test-helper.ts'
import { messagesSamples } from './messages/cases.test-helper.ts'
import { builtInWires } from './registry.ts'
import { responsesSamples } from './responses/cases.test-helper.ts'

describeWire(builtInWires.chat, chatSamples)
describeWire(builtInWires.responses, responsesSamples)
describeWire(builtInWires.messages, messagesSamples)
