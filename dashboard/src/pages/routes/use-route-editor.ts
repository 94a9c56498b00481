import { useMemo, useState } from 'react'
import type { ApiError, Versioned } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { useWorkspace } from '../../shell/place.ts'
import { changesBetween } from './route-changes.ts'
import { hasProblems, type Problems, problemsOf } from './route-checks.ts'
import { bodyOf, type Draft, draftOf, type Route } from './route-draft.ts'

export interface RouteEditorState {
  draft: Draft
  change: (draft: Draft) => void
  /** Sentences; empty when there is nothing to save. */
  changes: readonly string[]
  hasChanges: boolean
  /** Shown after the first attempt to save. */
  problems: Problems
  error: ApiError | null
  isBusy: boolean
  /** Another person saved it since this editing began. */
  isOutdated: boolean
  /** Answers null when it was not saved. */
  save: () => Promise<Route | null>
  /** Overwrites the current state. */
  overwrite: () => Promise<Route | null>
  /** Forgets what was changed and takes what is there now. */
  discard: () => void
}

const NONE: Problems = { entries: new Map() }

/**
 * A route while it is edited, against the version that the editing began with. While nothing was changed the draft
 * follows what others save; after the first change it no longer does, and the gateway refuses to overwrite unseen
 * changes.
 */
export function useRouteEditor(
  present: Versioned<Route> | null,
  start: Draft,
  taken: ReadonlySet<string>,
): RouteEditorState {
  const workspace = useWorkspace()
  const [base, setBase] = useState(present)
  const [draft, setDraft] = useState(start)
  const [isChecked, setChecked] = useState(false)
  const put = useChange('routes.put')
  const before = useMemo(() => (base === null ? start : draftOf(base.value)), [base, start])
  const changes = useMemo(() => changesBetween(before, draft), [before, draft])
  const isOutdated = isNewer(present, base)

  function take(version: Versioned<Route> | null) {
    setBase(version)
    setDraft(version === null ? start : draftOf(version.value))
    setChecked(false)
    put.reset()
  }
  if (changes.length === 0 && isOutdated) take(present)

  const problems = problemsOf(draft, taken)
  async function save(ifMatch: string | null): Promise<Route | null> {
    setChecked(true)
    if (hasProblems(problems)) return null
    const place = { params: { alias: draft.alias }, query: { workspace } }
    try {
      // A new one never replaces what another person created under the same alias a moment ago.
      const value = await put.mutateAsync({ ...place, body: bodyOf(draft), ifMatch, onlyNew: base === null })
      // Its version comes with the next answer; until then it is at least known what was saved.
      setBase({ value, etag: null })
      setDraft(draftOf(value))
      return value
    } catch {
      return null
    }
  }

  return {
    draft,
    change(next) {
      put.reset()
      setDraft(next)
    },
    changes,
    hasChanges: changes.length > 0 || draft.alias !== before.alias,
    problems: isChecked ? problems : NONE,
    error: put.error,
    isBusy: put.isPending,
    isOutdated,
    save: () => save(base?.etag ?? null),
    overwrite: () => save(present?.etag ?? null),
    discard: () => take(present),
  }
}

/** An answer that left before the last save may arrive after it: what is older never replaces what is newer. */
function isNewer(present: Versioned<Route> | null, base: Versioned<Route> | null): boolean {
  if (present === null || base === null || present.etag === base.etag) return false
  return present.value.updated_at >= base.value.updated_at
}
