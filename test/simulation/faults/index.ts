/** All faults of gateways and stores. Those of upstreams and clients are part of each exchange's plan. */
import type { Fault } from '../contract.ts'
import { drainFault, killFault } from './processes.ts'
import { storeFails, storeFull, storeLost, storeStalls } from './store.ts'

export const faults: readonly Fault[] = [killFault, drainFault, storeFails, storeStalls, storeFull, storeLost]
