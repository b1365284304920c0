//! `crdkit serve`: starts an API server with the CRDs and objects in the inputs on a TCP port.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use crd_input::{Document, Limits, Source};
use crd_report::{Found, Level, Message, MessageFormat, Messages, Paths, Report, Status, ended};
use crd_server::{Listening, Rejected};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::configuration::Configuration;
use crate::server::Server;

/// Serve CRDs and objects as an API server
///
/// Starts an API server in memory, and creates the CRDs in the inputs, then the objects. Without inputs, the server is empty; `-` reads
/// standard input. Like kube-apiserver, the server prunes, defaults and validates every write. The first line of the output is the path of
/// a kubeconfig. The server runs until you interrupt it, and then removes the kubeconfig. It stores Namespaces, ConfigMaps, Secrets, Pods,
/// Deployments and other built-in kinds without validation, and runs no controllers for them. It has no authentication. The responses of
/// versions 1.36 and 1.37 are verified against recordings of real servers. In other versions, only the validation of CRDs and objects
/// differs.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    inputs: Paths,
    /// The IP address or host name to listen on, and the port; with port 0, the server chooses a free port. Everybody who can reach the
    /// address can read and write all objects
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address)]
    listen: Address,
    /// Allow requests to this host name, in addition to `localhost` and the name in --listen. The server rejects requests to other names,
    /// and requests of other sites in a browser
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Call conversion webhooks on this host, with HTTPS at the URL in the CRD; webhooks on this machine are always allowed
    #[arg(long, value_name = "HOST")]
    allow_webhooks: Vec<String>,
    /// Delay before CRDs that clients create are established, such as 500ms or 5s. Until then, requests for their objects fail with 404, so
    /// operators that do not wait for the condition `Established` fail. CRDs in the inputs are established at the start
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = delay)]
    establish_after: Duration,
    /// Remove objects whose owners no longer exist, and complete foreground and orphaning deletions, as the garbage collector of a cluster
    /// does
    #[arg(long)]
    collect_garbage: bool,
    /// Use TLS: `https` instead of `http`. The server creates a certificate at the start, and the kubeconfig contains the certificate
    /// authority
    #[arg(long)]
    tls: bool,
    #[command(flatten)]
    server: Server,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
}

/// An address to listen on.
#[derive(Clone)]
struct Address {
    text: String,
    /// The host name; `None` if the host is an IP address.
    host: Option<String>,
}

fn address(text: &str) -> Result<Address, String> {
    let host = match (text.parse::<SocketAddr>(), text.rsplit_once(':')) {
        (Ok(_), _) => None,
        (Err(_), Some((host, port)))
            if !host.is_empty() && !host.contains(':') && port.parse::<u16>().is_ok() =>
        {
            Some(host.to_owned())
        }
        _ => return Err("expected `IP:PORT` or `NAME:PORT`, such as `127.0.0.1:8001`".to_owned()),
    };
    Ok(Address { text: text.to_owned(), host })
}

/// The pause between two garbage collections.
const GARBAGE_PAUSE: Duration = Duration::from_millis(200);

/// Returns the current time in microseconds as the first revision. The revision is higher than all revisions of earlier servers, so clients
/// of an earlier server list all objects again.
fn first_revision() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(1)
}

fn delay(text: &str) -> Result<Duration, String> {
    let nanoseconds = crd_go::time::Duration::parse(text).and_then(|delay| u64::try_from(delay.0).ok());
    nanoseconds
        .map(Duration::from_nanos)
        .ok_or_else(|| "expected a duration, such as `500ms` or `5s`".to_owned())
}

const EXAMPLES: &str = "\
Examples:
  crdkit serve crds/
  crdkit serve                # starts empty, as a new cluster
  crdkit serve crds/ objects/ --listen 127.0.0.1:8001
  crdkit serve crds/ --kube-version 1.36   # behaves like that release
  crdkit serve --establish-after 5s        # to find operators that do not wait until their CRDs are established
  kubectl --kubeconfig PATH apply -f shirt.yaml   # while the server runs; it prints PATH";

impl Serve {
    pub(crate) fn run(self, configuration: &Configuration) -> Status {
        let report = Report::new(self.quiet);
        let failed = |text: String| {
            report.show(&[Message::for_run(text)], MessageFormat::Human);
            Status::Unreadable
        };
        let release = self.server.configured(configuration).kube_version();
        let mut config = crd_server::Config::default();
        config.built_in_kinds().kube_version(release).establish_after(self.establish_after);
        config.first_revision(first_revision()).call_webhooks(&self.allow_webhooks);
        self.allow_host.iter().chain(&self.listen.host).for_each(|name| {
            config.allow_host(name);
        });
        if !self.quiet {
            config.on_registration(move |kind, name| {
                report.show(&[registration(kind, name)], MessageFormat::Human);
            });
        }
        let server = crd_server::Server::with(&config);
        let (messages, status) = self.fill(&server, report);
        report.show(&messages, MessageFormat::Human);
        if status != Status::Fine {
            return status;
        }
        if self.collect_garbage
            && let Err(error) = server.keep_collecting_garbage(GARBAGE_PAUSE)
        {
            return failed(format!("cannot collect garbage: {error}"));
        }
        let address = self.listen.text.as_str();
        let listening = if self.tls { server.listen_tls(address) } else { server.listen(address) };
        let listening = match listening {
            Ok(listening) => listening,
            Err(error) => return failed(format!("cannot listen on {address}: {error}")),
        };
        match serve(&listening) {
            Ok(shown) => ended(shown, Status::Fine),
            Err(error) => failed(format!("cannot serve: {error}")),
        }
    }

    /// Creates the objects in the inputs, CRDs first.
    fn fill(&self, server: &crd_server::Server, report: Report) -> (Vec<Message>, Status) {
        let limits = Limits::default();
        // Like a new cluster, a server without inputs has no CRDs. Who starts it need not close its standard input.
        let is_empty = self.inputs.named().is_empty();
        let Found { sources, mut errors, mut left_out, .. } =
            if is_empty { Found::default() } else { self.inputs.sources(&limits, report) };
        let (mut definitions, mut namespaces, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for source in &sources {
            let (documents, unread) = crd_input::documents(source, &limits);
            let is_object = |line: &str| line.contains("apiVersion");
            errors.extend(left_out.sift_where(unread, std::slice::from_ref(source), &limits, &is_object));
            for document in documents {
                let group = match document.value["kind"].as_str() {
                    Some("CustomResourceDefinition") => &mut definitions,
                    // Objects are created in namespaces that exist.
                    Some("Namespace") => &mut namespaces,
                    _ => &mut others,
                };
                group.push((source, document));
            }
        }
        let mut messages = Messages::new(&sources, &limits).all(&errors, &[]);
        if definitions.is_empty() && messages.is_empty() && !is_empty {
            messages.push(left_out.no_definition(others.len()));
        }
        let status = if messages.is_empty() { Status::Fine } else { Status::Unreadable };
        let status = left_out.end(report, status);
        if status != Status::Fine {
            return (messages, status);
        }
        for (source, document) in definitions.iter().chain(&namespaces).chain(&others) {
            if let Err(error) = server.seed(&document.value) {
                messages.push(refused(source, document, &error));
            }
        }
        let status = if messages.is_empty() { Status::Fine } else { Status::Wrong };
        if status == Status::Fine && !self.quiet {
            messages = warnings(server, &definitions);
        }
        (messages, status)
    }
}

/// Returns warnings about CRDs that will never be established, and about conversion webhooks that cannot be called because they are
/// services.
fn warnings(server: &crd_server::Server, definitions: &[(&Source, Document)]) -> Vec<Message> {
    let stored = server.snapshot().objects();
    let mut warnings = Vec::new();
    for (source, document) in definitions {
        let name = &document.value["metadata"]["name"];
        let is_same = |object: &&Value| {
            object["kind"] == "CustomResourceDefinition" && object["metadata"]["name"] == *name
        };
        let Some(crd) = stored.iter().find(is_same) else { continue };
        let (name, warning) = (text(name), |reason, text, help: &str| Message {
            level: Level::Warning,
            file: source.name().to_owned(),
            reason,
            help: Some(help.to_owned()),
            ..Message::for_run(text)
        });
        if let Some(conflict) = conflict(crd) {
            let text = format!("CustomResourceDefinition `{name}` will never be established: {conflict}");
            let help = "choose names that no other CRD of the group has";
            warnings.push(warning("NamesNotAccepted", text, help));
        }
        if let Some(stored) = converted_from(crd) {
            let text = format!(
                "CustomResourceDefinition `{name}` uses a service for conversion, which `crdkit serve` cannot find: requests in versions other than `{stored}` fail"
            );
            let help = "name the webhook by a URL, or test conversions with `ApiServer::convert` of the crate `crdkit`";
            warnings.push(warning("WebhookNotCalled", text, help));
        }
    }
    warnings
}

/// Returns the warning that an admission webhook configuration or policy has no effect.
fn registration(kind: &str, name: &str) -> Message {
    Message {
        level: Level::Warning,
        reason: "AdmissionNotCalled",
        help: Some("test the rules of the CRD itself, or send requests to the webhook directly".to_owned()),
        ..Message::for_run(format!(
            "{kind} `{name}` is stored but has no effect: `crdkit serve` calls no admission webhooks and evaluates no policies"
        ))
    }
}

/// Returns the reason why a stored CRD's condition `NamesAccepted` is false.
fn conflict(crd: &Value) -> Option<String> {
    let mut conditions = crd["status"]["conditions"].as_array()?.iter();
    let found = conditions
        .find(|condition| condition["type"] == "NamesAccepted" && condition["status"] == "False")?;
    Some(text(&found["message"]))
}

/// Returns a CRD's storage version, if its webhook is a service and objects have to be converted to other served versions.
fn converted_from(crd: &Value) -> Option<String> {
    let versions = crd["spec"]["versions"].as_array()?;
    let needs_webhook = crd.pointer("/spec/conversion/webhook/clientConfig/service").is_some()
        && versions.iter().any(|version| version["served"] == true && version["storage"] != true);
    let stored = versions.iter().find(|version| version["storage"] == true)?;
    needs_webhook.then(|| text(&stored["name"]))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("?").to_owned()
}

fn refused(source: &Source, document: &Document, error: &Rejected) -> Message {
    let (kind, name) = (text(&document.value["kind"]), text(&document.value["metadata"]["name"]));
    Message {
        file: source.name().to_owned(),
        ..Message::for_run(format!("{kind} `{name}` is rejected: {error}"))
    }
}

/// Prints the path of a temporary kubeconfig, and waits for a signal that ends the process. Then removes the kubeconfig.
fn serve(listening: &Listening) -> io::Result<Result<(), String>> {
    let mut kubeconfig: NamedTempFile =
        tempfile::Builder::new().prefix("crdkit-").suffix(".kubeconfig").tempfile()?;
    kubeconfig.write_all(listening.kubeconfig().as_bytes())?;
    kubeconfig.flush()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        // The signals are awaited before the line is printed, so that whoever has read it may stop the server.
        let stopped = stopped()?;
        let shown = crd_report::print(format!("{}\n", kubeconfig.path().display()));
        if shown.is_ok() {
            stopped.await;
        }
        Ok(shown)
    })
}

/// Completes when the process is interrupted or terminated.
#[cfg(unix)]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(std::future::poll_fn(move |context| {
        // Both are polled, so that either of them wakes this task.
        let is_stopped = [&mut interrupt, &mut terminate].map(|signal| signal.poll_recv(context).is_ready());
        if is_stopped.contains(&true) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    }))
}

/// Completes when the process is interrupted.
#[cfg(not(unix))]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a handler, the system ends the process.
        let _ = tokio::signal::ctrl_c().await;
    })
}
