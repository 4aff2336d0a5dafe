/**
 * The facet of service: how a wire is spoken over HTTP, as plain records. It imports no URL, no socket, no Node. Most of
 * it is data, so that a server works it out once and not for each request; `read` and `write` are called only where a
 * request cannot pass as it is.
 */
import type { JsonObject } from '../json/object.ts'
import type { FinishReason, Usage } from '../model/answer.ts'
import type { Path } from '../model/diagnostic.ts'
import type { Profile } from './profile.ts'

/** Names are in lower case. */
export type HttpHeaders = { readonly [name: string]: string | undefined }

/** The facet of a wire that a gateway needs. */
export interface WireService {
  /** Who defined the wire, by the names of OpenTelemetry's conventions for generative AI. */
  readonly provider?: string
  readonly http: WireHttp
  readonly openApi: WireOpenApi
  /** What logs want to know of an answer that passes unread; `undefined` if the codec has to read it, and without it always. */
  summarizeAnswer?(body: JsonObject): PlainAnswer | undefined
  /** A short request with a tool for the model to call, for examples that people paste. */
  example(model: string): ExampleRequest
}

/** The facts about an answer: how it ended, what it used, and the names of its calls. */
export interface PlainAnswer {
  readonly finish: FinishReason
  readonly calls: readonly string[]
  readonly usage?: Omit<Usage, 'residue' | 'compaction'>
}

/** A small request that shows a route of a wire. */
export interface ExampleRequest {
  /** With the wire's prefix. */
  readonly path: string
  readonly body: JsonObject
}

/** How a wire is spoken over HTTP: routes, headers, models, errors. */
export interface WireHttp {
  /** What every path of the wire begins with, such as `/v1`; an upstream's base URL ends in it. */
  readonly prefix: string
  readonly routes: readonly WireRoute[]
  readonly peek: RequestPlaces
  /** The request as the codec reads it. */
  read(request: ReceivedRequest): RequestFacts
  /** The body to send, from what the codec wrote. */
  write(request: Required<RequestFacts>): JsonObject
  /** Where a client may present its key. In the first place the key of an upstream is sent. */
  readonly keys: readonly [KeyPlace, ...KeyPlace[]]
  readonly requestHeaders: RequestHeaders
  /** Headers that only clients of this wire send. */
  readonly markerHeaders: readonly string[]
  readonly requestId: RequestIdPlaces
  /** Headers of a refusal that say when to try again. A `*` at the end stands for any rest of a name. */
  readonly retryHeaders: readonly string[]
  /** Headers that tell a client how much it may still use, where that is limited. */
  limitHeaders?(limits: UseLimits): { readonly [name: string]: string }
  /** The field of an answer that reports a failure; an answer with it cannot pass unread. */
  readonly errorField: string
  /** Whether the body of a refusal is one that the codec reads. */
  isErrorBody(body: JsonObject): boolean
  readonly models?: WireModels
  /** The answer to a request of the job `count-tokens`. */
  encodeTokenCount?(total: number): JsonObject
  /**
   * The field of a request that holds the conversation, and that answers do not depend on. Without it, large requests are
   * not converted in a worker thread.
   */
  readonly historyField?: string
  /** Servers of the wire usually remember earlier requests. */
  readonly keepsState: boolean
  /** What most servers of the wire cannot do, other than the one that the wire's profile describes. */
  readonly serverProfile?: Partial<Profile>
  /** The field of a request that limits how many calls the server runs itself. */
  readonly serverCallLimit?: string
  /** The field of a request with which the server keeps the conversation, so that the next sends only what is new. */
  readonly threadField?: string
  /** Left out where a request cannot refer to anything that the server holds. */
  readonly heldIds?: HeldIds
}

/**
 * The ids of what a server holds: a request that names one gets at what lies there. The server knows one key, that of
 * its gateway, so a gateway with several clients has to know whose each id is.
 */
export interface HeldIds {
  /** A request refers to nothing if its text has none of these, and no escaped letters, which may spell any of them. */
  readonly marks: readonly string[]
  references(body: JsonObject): readonly HeldReference[]
  /** The ids that an answer names, and that a later request may refer to. */
  idsIn(answer: JsonObject): readonly string[]
}

/** What an upstream's answers name, and what is made apart from them: by other requests, or where its owner signs in. */
export type HeldKind =
  | 'response'
  | 'conversation'
  | 'item'
  | 'container'
  | 'audio'
  | 'file'
  | 'vector store'
  | 'prompt'
  | 'skill'
  | 'voice'
  | 'tunnel'

/** A place in a request that refers to something an upstream holds. */
export interface HeldReference {
  readonly kind: HeldKind
  readonly id: string
  readonly path: Path
  /** What has this id is complete without it, so that the id may be left out. */
  readonly isOptional?: boolean
}

/** What a route of a wire is for. */
export type WireJob = 'exchange' | 'count-tokens' | 'compact'

/** A path of a wire, and what it is for. */
export interface WireRoute {
  readonly job: WireJob
  readonly method: 'POST'
  /**
   * Below the prefix. A segment that begins with a name in braces is a parameter, which ends where the rest of the
   * segment begins: `/models/{model}:run`.
   */
  readonly path: string
  /** Set where the path itself says whether the answer is streamed. */
  readonly streams?: boolean
  /** What stands behind the path in requests to an upstream. */
  readonly query?: string
  readonly operation: WireOperation
}

/** A route in OpenAPI. `request` and `answer` are names of schemas. */
export interface WireOperation {
  readonly id: string
  readonly summary: string
  readonly request: string
  readonly answer: string
}

/** Where a request says for which model it is, and whether its answer is to be streamed. */
export interface RequestPlaces {
  /** A field of the body, or a parameter of the path. */
  readonly model: { readonly field: string } | { readonly parameter: string }
  /** A field of the body, or the route itself. */
  readonly stream: { readonly field: string } | 'route'
}

/** A request as a wire's service reads it: body, path, query and headers. */
export interface ReceivedRequest {
  readonly body: JsonObject
  /** Parameters of the path, decoded. */
  readonly params: { readonly [name: string]: string }
  readonly query: { readonly [name: string]: string }
  readonly headers: HttpHeaders
  /** As its route says. */
  readonly streams: boolean | undefined
}

/** What a gateway must know of a request before it converts it. */
export interface RequestFacts {
  readonly model?: string
  readonly streamed: boolean
  readonly body: JsonObject
}

/** A header, and the scheme that stands before the key in it. */
export interface KeyPlace {
  readonly header: string
  readonly scheme?: string
}

/** The headers that a wire sends to an upstream, and passes on from clients. */
export interface RequestHeaders {
  /** Always sent to an upstream. */
  readonly sent: { readonly [name: string]: string }
  /** Taken over from the client where it sends them. */
  readonly forwarded: readonly string[]
  /** The forwarded header that switches features on, and the fields of a request that belong to each, by its beginning. */
  readonly flags?: {
    readonly header: string
    /** By their paths; `[]` behind a name stands for all members of a list. */
    readonly fields: { readonly [beginning: string]: readonly string[] }
    /** What holds for an upstream of which it is known that it knows no flag with this beginning. */
    readonly absent?: { readonly [beginning: string]: Partial<Profile> }
  }
  /** What follows from the value of a header that is sent, by the header's name. */
  readonly facts?: { readonly [name: string]: { readonly [value: string]: Partial<Profile> } }
}

/** Where clients of the wire look for the id of a request, beside `x-request-id`. */
export interface RequestIdPlaces {
  readonly headers: readonly string[]
  /** The body with the id in it, where the wire's bodies have a place for it. */
  write?(body: JsonObject, id: string): JsonObject
}

/** What the key of a client may use; what is not limited is left out. */
export interface UseLimits {
  readonly requests?: UseLimit
  readonly tokens?: UseLimit
}

/** How much may be used, how much of it is left, and when all of it is there again. */
export interface UseLimit {
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
  /** By RFC 3339. */
  readonly resetAt: string
}

/** What is known of a model; what is not known is left out. */
export interface ModelFacts {
  /** Both in tokens. */
  readonly contextWindow?: number
  readonly largestOutput?: number
  /** Whether it takes images, and files such as PDF. */
  readonly images?: boolean
  readonly files?: boolean
  /** The words for its effort; none: it has no effort. */
  readonly efforts?: readonly string[]
}

/** A model in the list that a gateway gives. */
export interface ListedModel extends ModelFacts {
  readonly id: string
  /** Who serves it. */
  readonly owner: string
  /** The upstream's name of it, where that is another. */
  readonly target?: string
}

/** The list of models. The path is below the prefix; one model is found at its id behind the path. */
export interface WireModels {
  readonly path: string
  decodeIds(list: unknown): readonly string[]
  /** What servers of the wire say of their models, by id. */
  decodeFacts?(list: unknown): ReadonlyMap<string, ModelFacts>
  /** `query`: of the client's request. */
  encodeList(models: readonly ListedModel[], query?: { readonly [name: string]: string }): JsonObject
  encodeModel(model: ListedModel): JsonObject
}

/** A schema of OpenAPI 3.1, which is JSON Schema. */
export type OpenApiSchema = JsonObject

/** A wire in OpenAPI. */
export interface WireOpenApi {
  /** By the names that operations use. Wires that share a body name it alike. */
  readonly schemas: { readonly [name: string]: OpenApiSchema }
  /** The name of the schema of errors. */
  readonly error: string
  readonly model?: OpenApiSchema
  readonly modelList?: OpenApiSchema
  /** The beginning or the end of a stream. */
  readonly streamExample: string
}
