import { Alert, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { MessageSquareText } from 'lucide-react'
import type { Reply } from '../../api/client.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Facts, Pair } from './answer-facts.tsx'
import { readAnswer } from './draft.ts'
import classes from './playground.module.css'

type Answered = Reply<'chat.try'>

export interface AnswerPanelProps {
  title: string
  answered: Answered | undefined
  isPending: boolean
  isStopped: boolean
}

export function AnswerPanel({ title, answered, isPending, isStopped }: AnswerPanelProps) {
  return (
    <Panel title={title}>
      {/* While it arrives it is not read aloud piece by piece. */}
      <div aria-live="polite" aria-busy={isPending}>
        {isPending && answered === undefined ? (
          <Stack gap="xs">
            <Skeleton height={14} />
            <Skeleton height={14} width="92%" />
            <Skeleton height={14} width="60%" />
          </Stack>
        ) : answered === undefined ? (
          <EmptyState title="No answer yet" icon={MessageSquareText}>
            Choose a model, write a message and send it. The answer, the provider and the cost appear here.
          </EmptyState>
        ) : (
          <Shown answered={answered} isStreaming={isPending} />
        )}
        {isStopped && (
          <Text size="sm" c="dimmed" mt="sm">
            You stopped this call. What the provider had produced until then is billed.
          </Text>
        )}
      </div>
    </Panel>
  )
}

function Shown({ answered, isStreaming }: { answered: Answered; isStreaming: boolean }) {
  const answer = readAnswer(answered.body)
  return (
    <Stack>
      {answer.error !== null ? (
        <Alert color="red" title={<span className="mono">{answer.error.code}</span>}>
          {answer.error.message}
        </Alert>
      ) : (
        <div className={classes['answer']} data-streaming={isStreaming || undefined}>
          {answer.text}
        </div>
      )}
      {answer.toolCalls.map((call) => (
        <CodeBlock
          key={`${call.name} ${call.arguments}`}
          label={`Call of ${call.name}`}
          code={`${call.name}(${call.arguments})`}
        />
      ))}
      <Facts answered={answered} />
      <Tabs defaultValue="headers" variant="outline">
        <Tabs.List>
          <Tabs.Tab value="headers">Headers</Tabs.Tab>
          <Tabs.Tab value="body">Body</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="headers" pt="sm">
          <dl className={classes['headers']}>
            {Object.entries(answered.headers).map(([name, value]) => (
              <Pair key={name} name={name}>
                {value}
              </Pair>
            ))}
          </dl>
        </Tabs.Panel>
        <Tabs.Panel value="body" pt="sm">
          <CodeBlock label="Body of the answer" code={JSON.stringify(answered.body, null, 2)} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
