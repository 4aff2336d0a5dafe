/**
 * The TypeScript type of the values that a JSON Schema literal accepts. It covers the keywords that tool schemas use
 * and is `unknown` for the rest: rather too wide than wrong.
 */

/** One element per level that is inferred; below that, everything is `unknown`. */
type Levels = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

/** The type of the values that a JSON Schema accepts. */
export type FromSchema<S> = Read<S, Levels>

type Read<S, Depth extends readonly unknown[]> = Depth extends readonly [unknown, ...infer Below]
  ? S extends { readonly nullable: true }
    ? ReadKeywords<S, Below> | null
    : ReadKeywords<S, Below>
  : unknown

type ReadKeywords<S, Below extends readonly unknown[]> = S extends false
  ? never
  : S extends { readonly const: infer Value }
    ? Mutable<Value>
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Mutable<Value>
      : S extends { readonly type: infer Type }
        ? ReadType<Type extends readonly (infer Member)[] ? Member : Type, S, Below>
        : S extends { readonly properties: object }
          ? ReadObject<S, Below>
          : S extends { readonly anyOf: readonly (infer Branch)[] }
            ? Read<Branch, Below>
            : S extends { readonly oneOf: readonly (infer Branch)[] }
              ? Read<Branch, Below>
              : unknown

/** Distributes over the members of a type list. A type that is only known as `string` gives `unknown`. */
type ReadType<Type, S, Below extends readonly unknown[]> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? ReadArray<S, Below>
          : Type extends 'object'
            ? ReadObject<S, Below>
            : unknown

type ReadArray<S, Below extends readonly unknown[]> = S extends { readonly prefixItems: unknown }
  ? unknown[]
  : S extends { readonly items: infer Item }
    ? Read<Item, Below>[]
    : unknown[]

type ReadObject<S, Below extends readonly unknown[]> = S extends { readonly properties: infer Properties }
  ? [keyof Properties | RequiredKeys<S>] extends [never]
    ? { [key: string]: unknown }
    : Flat<
        {
          -readonly [K in keyof Properties as K extends RequiredKeys<S> ? K : never]: Read<
            Properties[K],
            Below
          >
        } & {
          -readonly [K in keyof Properties as K extends RequiredKeys<S> ? never : K]?: Read<
            Properties[K],
            Below
          >
        } & { [K in Exclude<RequiredKeys<S>, keyof Properties>]: unknown }
      >
  : S extends { readonly additionalProperties: infer Value extends object }
    ? { [key: string]: Read<Value, Below> }
    : { [key: string]: unknown }

/** A list of type `string[]` does not reveal which keys are required. */
type RequiredKeys<S> = S extends { readonly required: readonly (infer Key extends string)[] }
  ? string extends Key
    ? never
    : Key
  : never

/** `const` inference makes every literal readonly, but the values at run time are not. */
type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T

/** Lets an editor show the members of an intersection instead of its parts. */
type Flat<T> = { [K in keyof T]: T[K] } & {}
