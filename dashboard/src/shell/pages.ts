import {
  Activity,
  Bell,
  BookOpen,
  ChartColumnStacked,
  Coins,
  FlaskConical,
  Gauge,
  History,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  PiggyBank,
  Route,
  Scale,
  Server,
  Settings,
  UserRoundKey,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import type { OperationName } from '../api/client.ts'

export interface PageEntry {
  /** The part of the address. */
  name: string
  title: string
  icon: LucideIcon
  page: ComponentType
  /** Left out for those who may not do this. */
  needs?: OperationName
  /** Fetches its file. */
  load: () => Promise<unknown>
}

/** Each page is a file of its own that loads when it is first opened. */
function page<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): Pick<PageEntry, 'page' | 'load'> {
  return { load, page: lazy<ComponentType>(async () => ({ default: (await load())[name] })) }
}

export const PAGES: { heading: string; pages: PageEntry[] }[] = [
  {
    heading: 'Observe',
    pages: [
      {
        name: 'overview',
        title: 'Overview',
        icon: LayoutDashboard,
        ...page(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
      },
      {
        name: 'requests',
        title: 'Requests',
        icon: Activity,
        ...page(() => import('../pages/requests/requests-page.tsx'), 'RequestsPage'),
      },
      {
        name: 'usage',
        title: 'Usage',
        icon: ChartColumnStacked,
        ...page(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
      },
      {
        name: 'budgets',
        title: 'Budgets',
        icon: PiggyBank,
        ...page(() => import('../pages/budgets/budgets-page.tsx'), 'BudgetsPage'),
      },
      {
        name: 'reconciliation',
        title: 'Reconciliation',
        icon: Scale,
        needs: 'reconciliation.get',
        ...page(() => import('../pages/reconciliation/reconciliation-page.tsx'), 'ReconciliationPage'),
      },
      {
        name: 'performance',
        title: 'Performance',
        icon: Gauge,
        ...page(() => import('../pages/performance/performance-page.tsx'), 'PerformancePage'),
      },
      {
        name: 'alerts',
        title: 'Alerts',
        icon: Bell,
        ...page(() => import('../pages/alerts/alerts-page.tsx'), 'AlertsPage'),
      },
    ],
  },
  {
    heading: 'Build',
    pages: [
      {
        name: 'catalog',
        title: 'Catalog',
        icon: BookOpen,
        ...page(() => import('../pages/catalog/catalog-page.tsx'), 'CatalogPage'),
      },
      {
        name: 'playground',
        title: 'Playground',
        icon: FlaskConical,
        ...page(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
      },
      {
        name: 'routes',
        title: 'Routes',
        icon: Route,
        ...page(() => import('../pages/routes/routes-page.tsx'), 'RoutesPage'),
      },
      {
        name: 'keys',
        title: 'Keys',
        icon: KeyRound,
        ...page(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
      },
      {
        name: 'my-keys',
        title: 'My keys',
        icon: UserRoundKey,
        ...page(() => import('../pages/my-keys/my-keys-page.tsx'), 'MyKeysPage'),
      },
    ],
  },
  {
    heading: 'Operate',
    pages: [
      {
        name: 'providers',
        title: 'Providers',
        icon: Server,
        ...page(() => import('../pages/providers/providers-page.tsx'), 'ProvidersPage'),
      },
      {
        name: 'registry',
        title: 'Registry',
        icon: Coins,
        ...page(() => import('../pages/registry/registry-page.tsx'), 'RegistryPage'),
      },
      {
        name: 'audit',
        title: 'Audit',
        icon: History,
        ...page(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
      },
      {
        name: 'settings',
        title: 'Settings',
        icon: Settings,
        ...page(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
      },
    ],
  },
]

/** The file of the page that was asked for begins to load while it is still being found out who asks. */
export function loadAskedPage(pathname: string): void {
  const name = pathname.split('/')[3] ?? 'overview'
  const asked = PAGES.flatMap((group) => group.pages).find((entry) => entry.name === name)
  // A failure shows when the page is drawn, and is reported there.
  asked?.load().catch(() => {})
}
