/** What a target accepts: the profile of its wire, the caller's facts about it, and what is known of the model. */
import { refuseUnknownOptions } from '../../json/known-options.ts'
import { show } from '../../json/text.ts'
import { beginningsOf } from '../../model/model-name.ts'
import type { WireTools } from '../../wires/define-wire.ts'
import type { FactsByModel, Profile } from '../../wires/profile.ts'
import { permissiveProfile } from '../../wires/profile.ts'

export interface Profiles {
  /** For what is native to the target: it stays as it is, except for what the caller's facts refuse. */
  readonly native: Profile
  /** For everything else: what the target accepts. */
  readonly foreign: Profile
  /** The same for one model. The caller's facts come before those of the wire, and the caller's about the model come first. */
  ofModel(model: string): Profiles
}

type Target = Pick<WireTools, 'never' | 'wire' | 'profile'>

const noFacts: Partial<Profile> = {}
const made = new WeakMap<Profile, WeakMap<Partial<Profile>, Profiles>>()

/**
 * Throws a `TypeError` if a fact is impossible on the target's wire. To merge profiles takes longer than to adapt a small
 * request, so it is done once for each object of facts.
 */
export function profilesFor(target: Target, facts: Partial<Profile> = noFacts): Profiles {
  let ofWire = made.get(target.profile)
  if (ofWire === undefined) {
    ofWire = new WeakMap()
    made.set(target.profile, ofWire)
  }
  let profiles = ofWire.get(facts)
  if (profiles === undefined) {
    profiles = new MergedProfiles(target, facts)
    ofWire.set(facts, profiles)
  }
  return profiles
}

/** Clients name the models, so there is no end to them. */
const mostModels = 100

class MergedProfiles implements Profiles {
  readonly native: Profile
  readonly foreign: Profile
  readonly #models: FactsByModel
  readonly #facts: Partial<Profile>
  readonly #byModel = new Map<string, Profiles>()

  constructor(target: Target, facts: Partial<Profile>) {
    this.native = mergeProfile(permissiveFor(target.profile), target, facts)
    this.foreign = mergeProfile(target.profile, target, facts)
    this.#models = target.profile.models
    this.#facts = facts
  }

  ofModel(model: string): Profiles {
    const found = this.#byModel.get(model)
    if (found !== undefined) return found
    if (this.#byModel.size >= mostModels) this.#byModel.clear()
    const profiles = this.#make(model)
    this.#byModel.set(model, profiles)
    return profiles
  }

  #make(model: string): Profiles {
    const known = factsOfModel(model, this.#models)
    const stated = factsOfModel(model, this.#facts.models)
    if (known === undefined && stated === undefined) return this
    const profiles: Profiles = {
      native: stated === undefined ? this.native : { ...this.native, ...stated },
      foreign: { ...this.foreign, ...known, ...this.#facts, ...stated },
      ofModel: () => profiles,
    }
    return profiles
  }
}

function permissiveFor({ strictRules }: Profile): Profile {
  if (strictRules === permissiveProfile.strictRules) return permissiveProfile
  return { ...permissiveProfile, strictRules }
}

/** The suffix that makes names unique takes nine characters; at least seven should stay readable. */
const shortestName = 16

/** The target's profile, overridden by the caller's facts. Throws if a fact is impossible on the wire. */
function mergeProfile(
  base: Profile,
  wire: Pick<WireTools, 'never' | 'wire'>,
  facts: Partial<Profile>,
): Profile {
  if (facts === noFacts) return base
  refuseUnknownOptions('"profile"', facts, permissiveProfile)
  for (const [name, ofModel] of Object.entries(facts.models ?? {})) {
    checkFacts({ ...base, ...facts, ...ofModel }, ofModel, wire, `models.${name}.`)
  }
  const profile = { ...base, ...facts }
  checkFacts(profile, facts, wire, '', base.nameCharacters)
  return profile
}

function checkFacts(
  { nameMaxLength, nameCharacters }: Profile,
  facts: Partial<Profile>,
  { never, wire }: Pick<WireTools, 'never' | 'wire'>,
  place: string,
  known: string | null = null,
): void {
  const claimed = never.find(ability => facts[ability] === true)
  if (claimed !== undefined) {
    throw new TypeError(`"profile.${place}${claimed}" cannot be true: the ${wire} wire cannot express it.`)
  }
  if (!(nameMaxLength >= shortestName)) {
    throw new TypeError(
      `"profile.${place}nameMaxLength" must be at least ${shortestName}; got ${show(nameMaxLength)}.`,
    )
  }
  if (nameCharacters === known || nameCharacters === null) return
  if (!new RegExp(`^[${nameCharacters}]+$`).test('az09_')) {
    throw new TypeError(
      `"profile.${place}nameCharacters" must allow small letters, digits and the underscore.`,
    )
  }
}

/** The facts about a model, of all beginnings of its name; `undefined` if there are none. */
function factsOfModel(model: string, table: FactsByModel = {}): FactsByModel[string] | undefined {
  let facts: FactsByModel[string] | undefined
  for (const name of beginningsOf(model)) {
    if (Object.hasOwn(table, name)) facts = { ...table[name], ...facts }
  }
  return facts
}
