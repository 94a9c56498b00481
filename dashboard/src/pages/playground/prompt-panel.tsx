import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { Columns2, SendHorizontal, Square } from 'lucide-react'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import type { Prompt } from '../../components/playground-draft.ts'
import { MessagesEditor } from './messages-editor.tsx'
import { ModelPicker } from './model-picker.tsx'
import { Parameters } from './parameters.tsx'
import { PayerPicker, type PayerPickerProps } from './payer-picker.tsx'

export interface PromptPanelProps {
  workspace: string
  model: string
  /** The model of a second call with the same prompt; null without one, '' until it is chosen. */
  against: string | null
  onChoose: (change: { model?: string | null; against?: string | null }) => void
  payer: PayerPickerProps
  draft: Prompt
  onDraft: (change: Partial<Prompt>) => void
  /** Undefined while that is not known. */
  mayStream: boolean | undefined
  problem: string | null
  isPending: boolean
  onSend: () => void
  onStop: () => void
}

/** The prompt, the models, and the key that pays. */
export function PromptPanel(props: PromptPanelProps) {
  const { workspace, model, against, onChoose, draft, onDraft, mayStream, problem, isPending, onSend, onStop } = props
  return (
    <Panel>
      <Stack>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <ModelPicker label="Model" workspace={workspace} value={model} onChange={(id) => onChoose({ model: id })} />
          {against !== null && (
            <ModelPicker
              label="Compare with"
              workspace={workspace}
              value={against}
              onChange={(id) => onChoose({ against: id ?? '' })}
            />
          )}
          <PayerPicker {...props.payer} />
        </Group>
        <MessagesEditor messages={draft.messages} onChange={(messages) => onDraft({ messages })} onSend={onSend} />
        <Parameters draft={draft} onChange={onDraft} />
        <Switch
          label="Stream the answer"
          description={mayStream === false ? 'Streaming is off in this workspace.' : undefined}
          checked={draft.isStreamed && mayStream === true}
          disabled={mayStream !== true}
          onChange={(event) => onDraft({ isStreamed: event.currentTarget.checked })}
        />
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {problem ?? 'Ctrl + Enter sends'}
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<Columns2 size={16} aria-hidden />}
              onClick={() => onChoose({ against: against === null ? '' : null })}
            >
              {against === null ? 'Compare' : 'Stop comparing'}
            </Button>
            {isPending && (
              <Button variant="default" leftSection={<Square size={14} aria-hidden />} onClick={onStop}>
                Stop
              </Button>
            )}
            <MayButton
              to="chat.try"
              onClick={onSend}
              disabled={problem !== null}
              loading={isPending}
              rightSection={<SendHorizontal size={16} aria-hidden />}
            >
              {against === null ? 'Send' : 'Send to both'}
            </MayButton>
          </Group>
        </Group>
      </Stack>
    </Panel>
  )
}
