import { Page } from '../../components/page.tsx'

export function ProvidersPage() {
  return <Page title="Providers" />
}
