import { Alert, Grid, SegmentedControl, Stack } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { useAll } from '../../api/hooks.ts'
import { Page } from '../../components/page.tsx'
import { ErrorState } from '../../components/states.tsx'
import { useUrlState, useWorkspace } from '../../shell/place.ts'
import { AnswerPanel } from './answer-panel.tsx'
import { CodePanel } from './code-panel.tsx'
import { buildRequest } from './draft.ts'
import { MEDIA } from './media-draft.ts'
import { MediaPlayground } from './media-playground.tsx'
import { payersOf } from './payers.ts'
import { PromptPanel } from './prompt-panel.tsx'
import { useDraft } from './use-draft.ts'
import { type Attempt, useIsStreaming, useTry } from './use-try.ts'

const KINDS = [
  { value: 'chat', label: 'Chat' },
  { value: 'images', label: 'Image' },
  { value: 'speech', label: 'Speech' },
  { value: 'transcriptions', label: 'Transcript' },
]

/**
 * A real call billed to a key, or the same to two models, and the same call as code. The address keeps models and
 * key, never the messages.
 */
export function PlaygroundPage() {
  const workspace = useWorkspace()
  const [{ model = '', against: named, key: chosenKey, kind }, setPlace] = useUrlState()
  const media = MEDIA.find((each) => each === kind)
  const [isComparing, setComparing] = useState(named !== undefined)
  const [draft, setDraft] = useDraft()
  const keys = useAll('keys.list', { query: { workspace, state: 'live' } })
  const budgets = useAll('budgets.list', { query: { workspace } })
  const isKnown = keys.data !== undefined && (budgets.data !== undefined || budgets.error !== null)
  const payers = isKnown ? payersOf(keys.data, budgets.data ?? []) : undefined
  const mayStream = useIsStreaming(workspace)
  const first = useTry()
  const second = useTry()
  // Chosen once: a call that uses up its budget does not move the next one to another key unasked.
  const preferred = useRef<string | null>(null)
  preferred.current ??= payers?.[0]?.id ?? null
  const key = chosenKey ?? preferred.current
  const against = isComparing ? (named ?? '') : null
  const models = against === null ? [model] : [model, against]
  const built = models.map((each) =>
    buildRequest({ ...draft, model: each, isStreamed: draft.isStreamed && mayStream === true }),
  )
  const problem =
    built.find((each) => each.problem !== null)?.problem ?? (key === null ? 'Choose the key to bill.' : null)

  function send() {
    // The shortcut is everywhere on the page.
    if (problem !== null || key === null || media !== undefined) return
    for (const [index, { body }] of built.entries()) {
      if (body !== null) (index === 0 ? first : second).send({ query: { workspace, key }, body })
    }
  }
  useHotkeys([['mod+Enter', send]], [])

  function choose(change: { model?: string | null; against?: string | null }) {
    if (change.against !== undefined) setComparing(change.against !== null)
    setPlace(change)
  }

  const payer = { payers, value: key, onChange: (id: string | null) => setPlace({ key: id }) }
  const half = { base: 12, md: 6 }
  return (
    <Page
      title="Playground"
      description="A real call: it is admitted, logged and paid for like any other."
      actions={<KindControl kind={media ?? 'chat'} onChange={(chosen) => setPlace({ kind: chosen, model: null })} />}
    >
      {media !== undefined ? (
        <MediaPlayground
          key={media}
          {...{ media, workspace, model, payer }}
          onModel={(id) => setPlace({ model: id })}
        />
      ) : (
        <Grid gap="lg">
          <Grid.Col span={isComparing ? 12 : half}>
            <PromptPanel
              {...{ workspace, model, against, draft, mayStream, problem }}
              payer={payer}
              isPending={first.isPending || (isComparing && second.isPending)}
              onChoose={choose}
              onDraft={setDraft}
              onSend={send}
              onStop={() => {
                first.stop()
                second.stop()
              }}
            />
          </Grid.Col>
          <Grid.Col span={half}>
            <Stack gap="lg">
              <Answered title={isComparing ? model || 'Model' : 'Answer'} attempt={first} />
              {!isComparing && <CodePanel body={built[0]?.body ?? null} />}
            </Stack>
          </Grid.Col>
          {isComparing && (
            <Grid.Col span={half}>
              <Answered title={against || 'Second model'} attempt={second} />
            </Grid.Col>
          )}
        </Grid>
      )}
    </Page>
  )
}

function KindControl({ kind, onChange }: { kind: string; onChange: (kind: string | null) => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="What to make"
      data={KINDS}
      value={kind}
      onChange={(chosen) => onChange(chosen === 'chat' ? null : chosen)}
    />
  )
}

function Answered({ title, attempt: { data, error, isPending, isStopped } }: { title: string; attempt: Attempt }) {
  return (
    <Stack gap="lg">
      {error !== null && (
        <Alert color="red" p={0}>
          <ErrorState error={error} />
        </Alert>
      )}
      <AnswerPanel title={title} answered={data} isPending={isPending} isStopped={isStopped} />
    </Stack>
  )
}
