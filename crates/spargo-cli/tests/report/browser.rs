//! A real browser: headless Chromium, driven by its DevTools protocol.

use super::studies::folder;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, connect};

/// A browser with one page open.
pub struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    calls: u64,
    /// What the page complained about, and what it asked the network for.
    complaints: Vec<String>,
}

/// Seconds that any single answer may take.
const PATIENCE: u64 = 60;

impl Browser {
    pub fn start() -> Self {
        let profile = folder("chromium").display().to_string();
        let mut process = Command::new("chromium")
            // The sandbox refuses root.
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
            ])
            .arg(format!("--user-data-dir={profile}"))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("chromium is needed ({error}): apt-get install chromium"));
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(String::from));
        let address = address.expect("chromium says where it listens");
        // Somebody must read on, or it would wait for a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = connect(&address).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(Duration::from_secs(PATIENCE))).unwrap();
        }
        let mut browser = Browser { process, socket, session: None, calls: 0, complaints: Vec::new() };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        // Some errors reach the page but not the console.
        let tell = "addEventListener('error', event => console.error(event.message))";
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": tell }));
        browser.view(1100, 900);
        browser
    }

    /// Opens a file and waits until everything that can be seen is drawn.
    pub fn open(&mut self, page: &Path) {
        self.complaints.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))");
        self.drawn();
    }

    /// Waits for two frames: drawings are made in one.
    pub fn drawn(&mut self) {
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
    }

    /// The value of an expression in the page; promises are awaited.
    pub fn run(&mut self, expression: &str) -> Value {
        let wish = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", wish);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The size of the window.
    pub fn view(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// What the user prefers: light or dark.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// A key that is pressed and let go.
    pub fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// A click into the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let middle = format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'nearest', inline: 'nearest' }}); \
             const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        );
        let middle = self.run(&middle);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
        self.drawn();
    }

    /// Moves the pointer.
    pub fn point(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Errors, warnings and requests since the page was opened.
    pub fn complaints(&self) -> &[String] {
        &self.complaints
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let mut wish = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            wish["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(wish.to_string())).unwrap();
        loop {
            let message = self.socket.read().unwrap_or_else(|error| panic!("{method} has no answer: {error}"));
            let Message::Text(text) = message else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.listen(&message);
        }
    }

    fn listen(&mut self, event: &Value) {
        let parameters = &event["params"];
        let bad = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => ["error", "warning", "assert"].iter().any(|kind| parameters["type"] == *kind),
            "Log.entryAdded" => ["error", "warning"].iter().any(|level| parameters["entry"]["level"] == *level),
            "Network.requestWillBeSent" => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                !["file:", "data:", "about:"].iter().any(|scheme| url.starts_with(scheme))
            }
            _ => false,
        };
        if bad {
            self.complaints.push(parameters.to_string());
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already, and it is this test's own.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
