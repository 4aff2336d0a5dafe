/** The words in the names of tools and parameters by which a call is judged. */
import { nameWords } from './message-words.ts'

type Words = ReadonlySet<string>

function wordSet(words: string): Words {
  return new Set(nameWords(words))
}

/** Only as the first word: `list_files`, but not `send_list` or `mark_read`. */
export const readingVerbs: Words = wordSet(
  `analyze ask calculate cat check compare compute convert count describe detect echo estimate explain fetch find get glob
   grep inspect list look lookup ls measure ping predict preview query read retrieve search show stat summarize translate
   tree validate verify view`,
)

/** Also behind the name of a service, because they are hardly ever nouns. */
export const askingVerbs: Words = wordSet('describe fetch find get lookup search')

/** Harmless where a name has no other words: `weather`, `current_time`, `git_status`. */
export const neutralWords: Words = wordSet(
  `a by coin current date datetime day dice diff doc documentation file flip for forecast git help history hostname in info
   information local location log now number of price random roll status stock temperature the time timezone today tool up
   uptime utc uuid version weather web whoami world`,
)

export const joiningWords: Words = wordSet('and or then plus with')

/** `add` also means that a thing is added to others; with numbers alone it computes. */
export const arithmetic: Words = wordSet(
  'add average divide max mean min minus modulo multiply plus power product round sqrt subtract sum total',
)

/** Also beside a reading verb, as in `get_or_set`. Words that are nouns as well, as in `list_commits`, are not among them. */
export const changingVerbs: Words = wordSet(
  `accept activate alter append apply approve archive assign authorize ban boot buy cancel change clean clear close confirm
   copy cut deactivate delete deploy deprovision destroy detach disable discard disconnect drop edit eject empty enable
   erase evict expire flush force grant halt hide insert install invite kill mark merge modify move mute mv nuke obliterate
   overwrite pause pay provision prune publish purchase purge push rebase reboot refund reject remove rename replace reset
   resize resolve restart restore resume revert revoke rid rm rollback rotate sale sell send set shred shut shutdown stop
   submit subscribe suspend swap terminate trash trigger truncate turn uninstall unlink unlock unpublish unsubscribe update
   upgrade upload upsert wipe withdraw zap`,
)

export const writingVerbs: Words = wordSet('create download dump export generate save touch write')

/** What a writing tool may write, since its place can be replaced by a new file. */
export const fileWords: Words = wordSet('a directory document file folder fs new text the to tool')

export const places: Words = wordSet(
  'destination dest file filename filepath folder directory dir path target uri',
)
export const destinations: Words = wordSet('dest destination output save write')
/** What is written under one of these may exist. */
export const identities: Words = wordSet('bucket id key name uuid')

/** The whole name of a tool that runs what it is given, as the shells of agents do. */
export const codeWords: Words = wordSet(
  `bash cmd code command eval evaluate exec execute in interpreter javascript js local python program run script shell sql
   statement terminal tool`,
)
