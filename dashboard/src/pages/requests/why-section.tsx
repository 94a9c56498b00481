import { Alert, Anchor, Text } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { Link } from 'wouter'
import { usePath } from '../../shell/place.ts'
import { NextSteps } from './next/next-steps.tsx'
import classes from './request-detail.module.css'
import { figureTexts, reasonText } from './request-words.ts'
import type { ListedRequest } from './use-requests.ts'

/** Why a call failed, what to do about it, and the way to those that failed likewise. */
export function WhySection({ request }: { request: ListedRequest }) {
  const { param, provider_code: code, figures } = request
  const reason = reasonText(request)
  if (reason === null) return null
  const facts = figureTexts(figures)
  return (
    <Alert
      color={request.status !== null && request.status >= 500 ? 'red' : 'yellow'}
      icon={<CircleAlert size={18} aria-hidden />}
      title="Why it failed"
      // Not an alert, as it is by default: it is part of what was opened, and contains forms.
      role="region"
    >
      <Text size="sm" className={classes['reason'] ?? ''}>
        {reason}
      </Text>
      {(param !== null || code !== null || facts.length > 0) && (
        <dl className={classes['why']}>
          {param !== null && <Likewise name="Field" field="param" value={param} />}
          {code !== null && <Likewise name="Provider’s code" field="provider_code" value={code} />}
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="figures">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <NextSteps key={request.id} request={request} />
    </Alert>
  )
}

function Likewise({ name, field, value }: { name: string; field: 'param' | 'provider_code'; value: string }) {
  const path = usePath()
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Anchor
          component={Link}
          inherit
          underline="always"
          href={`${path('requests')}?${new URLSearchParams({ [field]: value })}`}
          title={`Other requests with ${name.toLowerCase()} ${value}`}
        >
          {value}
        </Anchor>
      </dd>
    </div>
  )
}
