// A peer of bench nfs: the crate nfs3_server with its file system in memory, on a runtime of one
// thread, which is what a server with one core needs.
// Usage: nfs3_server PORT FILE-BYTES
use nfs3_server::memfs::{MemFs, MemFsConfig};
use nfs3_server::tcp::{NFSTcp, NFSTcpListener};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 {
        return Err("usage: nfs3_server PORT FILE-BYTES".into());
    }
    let mut content = MemFsConfig::default();
    content.add_file("/data", vec![0u8; arguments[2].parse()?]);
    let files = MemFs::new(content).map_err(|status| format!("no file system: {status:?}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let address = format!("127.0.0.1:{}", arguments[1]);
        let listener = NFSTcpListener::bind(&address, files).await?;
        listener.handle_forever().await?;
        Ok(())
    })
}
