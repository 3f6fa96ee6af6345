use spargo::linalg::*; use spargo::kernel::*; use std::time::Instant;
fn best(mut f: impl FnMut()) -> f64 { (0..7).map(|_| {let t=Instant::now(); f(); t.elapsed().as_secs_f64()}).fold(f64::INFINITY, f64::min) }
fn main(){
  let (m,n,d)=(500,512,6);
  let z=Mat::from_fn(m,d,|i,j| ((i*7+j*13)%97) as f64/97.); let x=Mat::from_fn(n,d,|i,j| ((i*5+j*29)%101) as f64/101.);
  for f in Family::ALL { let k=Kernel::stationary(f,1.3,0.4,d);
    let mut o=Mat::zeros(m,n); let g=Mat::from_fn(m,n,|i,j| (i+j) as f64); let mut gr=vec![0.0;7];
    let t=best(|| k.cross(z.as_ref(),x.as_ref(),o.as_mut())); let t2=best(|| k.add_parameter_gradient(z.as_ref(),x.as_ref(),g.as_ref(),&mut gr));
    println!("{f:?}: cross {:.2} ns/elem, grad {:.2} ns/elem  (5000: {:.2} ms, {:.2} ms)", t*1e9/(m*n) as f64, t2*1e9/(m*n) as f64, t*5000./512.*1e3, t2*5000./512.*1e3);
  }
  let mut k2=Mat::from_fn(2000,2000,|i,j| (-(i as f64-j as f64).abs()/50.).exp()); for i in 0..2000 {k2[(i,i)]+=0.1;}
  let t=best(|| {cholesky(k2.as_ref(),0.0).unwrap();}); println!("chol 2000: {:.1} GF", 8e9/3./t/1e9);
  let c=cholesky(k2.as_ref(),0.0).unwrap();
  let t=best(|| {invert_lower(c.l.as_ref());}); println!("inv 2000: {:.1} GF", 8e9/3./t/1e9);
  let t=best(|| {inverse_from_cholesky(c.l.as_ref());}); println!("inv full 2000: {:.1} GF", 16e9/3./t/1e9);
  let k5=k2.submatrix(0,0,500,500).to_owned();
  let t=best(|| {cholesky(k5.as_ref(),0.0).unwrap();}); println!("chol 500: {:.2} ms", t*1e3);
  let t=best(|| {invert_lower(c.l.submatrix(0,0,500,500));}); println!("inv 500: {:.2} ms", t*1e3);
}
