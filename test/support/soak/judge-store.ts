/** Checks what the store of a simulation holds at the end. */
import { promptOf } from './client.ts'
import type { Ending } from './judge.ts'
import type { Course } from './scene.ts'
import type { SoakStore } from './store.ts'

/** Kept as complete if and only if that is what the client was told, under its own name and no other. */
export function judgeStored(course: Course, ending: Ending, store: SoakStore, owner: string): string[] {
  const { plan } = course
  const wrong: string[] = []
  const records = store.recordsOf(promptOf(plan))
  if (!plan.keeps && records.length > 0) wrong.push('it was kept against the will of the client')
  if (records.length > 1) wrong.push(`it was kept ${records.length} times`)
  const [record] = records
  if (record !== undefined && record.owner !== owner) wrong.push('it was kept for somebody else')
  if (plan.form === 'background') {
    const isUnfinished = record?.status === 'queued' || record?.status === 'in_progress'
    if (isUnfinished && store.troubles === 0) wrong.push(`in the background it is ${record.status} for ever`)
    return wrong
  }
  const isComplete = record?.status === 'completed'
  if (plan.keeps && ending === 'good' && !isComplete) wrong.push('it was not kept')
  if (isComplete && ending !== 'good' && ending !== 'left')
    wrong.push(`it was kept as complete but ${ending}`)
  if (record !== undefined && isStranger(course)) wrong.push('what somebody else had said was continued')
  return wrong
}

const isStranger = ({ continues }: Course): boolean =>
  continues !== undefined && continues.owner !== continues.from.owner
